import { isPlaceholder } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { isPassword } from './labels.ts';

/** From a program's name to its option, within one command. */
const ON = '[^\\n|;&]{0,120}?\\s';
/** A password with or without quotes, but nothing that the shell or a reader would fill in. */
const VALUE = '["\']?(?![$<{(%*-])([^\\s"\'`|\\\\]{4,200})';

/** `asked` if the place may hold something else: then the value must look like a password. */
type Sureness = 'certain place' | 'asked';

/** A password after the options that pass it to a program. `¤` in the samples stands for the password. */
function given(
  rule: string,
  keywords: readonly string[],
  before: string,
  samples: { readonly catches: readonly string[]; readonly allows: readonly string[] },
  sureness: Sureness = 'certain place',
): SecretRule {
  return {
    rule: `command-${rule}`,
    severity: 'hold',
    what: 'a password in a command',
    keywords,
    pattern: new RegExp(`${before}${VALUE}`, 'g'),
    accepts: (secret) =>
      sureness === 'asked' ? isPassword(secret) : !isPlaceholder(secret) && !/^[./~]+\/|:\$/.test(secret),
    catches: samples.catches.map((line) => line.replace('¤', 'Kestrel-83')),
    allows: samples.allows,
  };
}

/** Passwords in command lines and in configuration lines with a fixed place for them. */
export const COMMAND_RULES: readonly SecretRule[] = [
  given('sshpass', ['sshpass'], `\\bsshpass\\b${ON}-p ?`, {
    catches: ["sshpass -p '¤' ssh deploy@jump.corp.dev", 'sshpass -p¤ scp a b'],
    allows: ['sshpass -e ssh host', 'sshpass -p "$PASS" ssh host', 'sshpass -p password ssh host'],
  }),
  given('mysql', ['mysql', 'mariadb'], `\\b(?:mysql|mariadb)[a-z-]{0,12}${ON}-p`, {
    catches: ['mysql -u app -p¤ shop', "mysqldump -uroot -p'¤' shop > shop.sql"],
    allows: ['mysql -u root -p shop_db2', 'mysql -p$PASS shop', 'mysqldump -P 3306 -p shop'],
  }),
  given(
    'option',
    ['--pass', '-storepass', '-keypass', '-password', '-passwd', '-pwd'],
    '(?:^|\\s)--?[a-z-]{0,20}(?:password|passwd|passphrase|pass|pwd|storepass|keypass)(?:=| {1,2})',
    {
      catches: [
        'docker login --username ci --password ¤ r.corp.dev',
        'keytool -list -storepass ¤',
        'gpg --passphrase=¤ -d a',
      ],
      allows: [
        'docker login --password-stdin',
        'use the --password option',
        'psql --password $PGPASS2',
        'gpg --passphrase-file /run/pass1',
      ],
    },
    'asked',
  ),
  given(
    'login',
    [' login'],
    `\\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm registry|az|oc)${ON}?login\\b${ON}-p ?`,
    {
      catches: ['docker login r.corp.dev -u ci -p ¤', 'az login --service-principal -u app -p ¤ --tenant corp.dev'],
      allows: ['docker login -u ci --password-stdin', 'docker login -u ci -p "$TOKEN"', 'docker run -p 8080:80 nginx'],
    },
  ),
  given(
    'lower-p',
    ['mongo', 'winrm', 'rdesktop', 'psexec', 'crackmapexec', 'smbmap', '7z', 'unrar', ' rar '],
    `(?:\\b(?:mongo[a-z]{0,10}|[a-z-]{0,5}winrm|rdesktop|psexec[0-9]{0,2}|crackmapexec|smbmap)\\b${ON}-p[ =]?|\\b(?:7z[azr]?|unrar|rar)\\b${ON}-h?p)`,
    {
      catches: ['mongosh mongodb://db1/shop -u app -p ¤', "evil-winrm -u Administrator -p '¤'", '7z x backup.7z -p¤'],
      allows: ['mongosh -u app -p', 'mongosh -p $PASS2', '7z x backup2.7z -oOut2 -p', 'unrar x -p- a1.rar'],
    },
  ),
  given(
    'upper-p',
    ['sqlcmd', 'bcp', 'ipmitool', 'mosquitto', 'zip', 'tsql'],
    `\\b(?:sqlcmd|bcp|osql|tsql|ipmitool|mosquitto_[a-z]{2,4}|(?:un)?zip)\\b${ON}-P ?`,
    {
      catches: ['zip -e -P ¤ a.zip b', 'mosquitto_pub -h broker -u sensor -P ¤ -t t', 'sqlcmd -S db1 -U sa -P ¤'],
      allows: ['zip -P "$ZIP_PASS" a.zip', 'mosquitto_pub -h broker -p 8883 -t t', 'sqlcmd -S db1 -U sa'],
    },
  ),
  given('redis', ['redis-cli', 'valkey-cli'], `\\b(?:redis|valkey)-cli\\b${ON}(?:-a|--pass)[ =]`, {
    catches: ['redis-cli -h cache1 -a ¤ ping'],
    allows: ['redis-cli -a "$REDIS_PASSWORD" ping', 'redis-cli -h cache1 -p 6379 -n 2 ping'],
  }),
  given('ldap', ['ldap'], `\\bldap(?:search|add|modify|delete|whoami|passwd|compare)\\b${ON}-w ?`, {
    catches: ['ldapsearch -x -D cn=admin,dc=corp -w ¤ -b dc=corp'],
    allows: ['ldapsearch -x -W -D cn=admin,dc=corp', 'ldapsearch -x -w $PASS2'],
  }),
  given(
    'snmp',
    ['snmp'],
    `\\bsnmp(?:walk|get|set|bulkwalk|bulkget|table)\\b${ON}-[cAX] ?`,
    {
      catches: ['snmpwalk -v2c -c ¤ switch1'],
      allows: ['snmpwalk -v2c -c public switch1', 'snmpwalk -v2c -c "$COMMUNITY1" switch1'],
    },
    'asked',
  ),
  given(
    'user-and-password',
    ['lftp', 'smbclient', 'rpcclient', 'wget', 'httpie', 'http -a', 'net rpc'],
    `\\b(?:lftp\\b${ON}-u ?["']?[\\w.@\\\\-]{1,60},|(?:smbclient|rpcclient|net rpc)\\b${ON}(?:-U|--user) ?=?["']?[\\w.@\\\\/-]{1,60}%|https? -a ?["']?[\\w.@-]{1,60}:)`,
    {
      catches: ['lftp -u dana,¤ ftp.corp.dev', 'smbclient //nas/share -U dana%¤', 'http -a dana:¤ https://corp.dev/'],
      allows: ['smbclient //nas/share2 -U dana', 'lftp -u dana ftp1.corp.dev', 'smbclient //nas/share -U dana%$PASS'],
    },
  ),
  given(
    'windows',
    ['net use', 'net user', 'net.exe', 'cmdkey', 'freerdp', '/password:', '/pass:'],
    `(?:\\bnet(?:\\.exe)? use\\b[^\\n]{0,12}?\\\\\\\\\\S{1,80}\\s(?:/user:\\S{1,60}\\s)?(?!/|\\*)|\\bnet(?:\\.exe)? user\\s\\S{1,40}\\s(?!/|\\*)|\\b(?:cmdkey|[wx]freerdp|wmic|schtasks)\\b${ON}/(?:p|pass|password|rp):)`,
    {
      catches: [
        'net use Z: \\\\nas\\share ¤ /user:CORP\\dana',
        'net user dana ¤ /add',
        'xfreerdp /v:win1 /u:dana /p:¤',
      ],
      allows: [
        'net use Z: \\\\nas\\share2 * /user:CORP\\dana',
        'net use Z: \\\\nas1\\share /persistent:yes',
        'net user dana * /add',
      ],
    },
  ),
  given(
    'htpasswd',
    ['htpasswd'],
    '\\bhtpasswd\\s(?:-[A-Za-z]\\s){0,3}(?:-[A-Za-z]{0,3}(?:nb|bn)[A-Za-z]{0,3}\\s\\S{1,80}\\s|-[A-Za-z]{0,3}b[A-Za-z]{0,3}\\s\\S{1,80}\\s\\S{1,80}\\s)',
    {
      catches: ['htpasswd -b /etc/nginx/.htpasswd dana ¤', 'htpasswd -bc .htpasswd ci ¤'],
      allows: ['htpasswd -c /etc/nginx/.htpasswd dana2', 'htpasswd -b .htpasswd dana $PASS1'],
    },
  ),
  given('openssl', ['pass:'], '\\s-pass(?:in|out|word)?\\s{1,2}pass:', {
    catches: ['openssl pkcs12 -in a.p12 -passin pass:¤ -nodes'],
    allows: [
      'openssl pkcs12 -in a.p12 -passin env:P12_PASS',
      'openssl rsa -passin pass:$PASS1',
      'openssl rsa -passin pass:secret',
    ],
  }),
  given('openssl-enc', ['openssl enc'], `\\bopenssl enc\\b${ON}-k `, {
    catches: ['openssl enc -aes-256-cbc -k ¤ -in a -out b'],
    allows: ['openssl enc -aes-256-cbc -k $KEY1 -in a', 'openssl enc -aes-256-cbc -kfile /run/key1'],
  }),
  given(
    'piped',
    ['sudo', 'passwd', '--password-stdin', 'cryptsetup', 'passphrase-fd'],
    '\\b(?:echo|printf)\\s(?:-[ne]\\s|["\']%s(?:\\\\n)?["\']\\s)?["\']?(?=[^|\\n]{4,120}\\|\\s?(?:sudo\\s(?:-[a-zA-Z]\\s){0,3}-[a-zA-Z]{0,3}S|(?:sudo )?(?:passwd --stdin|chpasswd|smbpasswd|cryptsetup)|\\S{1,20} login[^\\n]{0,80}--password-stdin|gpg\\b[^\\n]{0,80}--passphrase-fd))(?:[\\w.-]{1,40}:)?',
    {
      catches: [
        "echo '¤' | sudo -S apt-get update",
        'echo "dana:¤" | chpasswd',
        "printf '¤\\n¤\\n' | smbpasswd -s -a dana",
      ],
      allows: ['echo "$PASS1" | sudo -S true', 'echo "dana:$PASS1" | chpasswd', 'echo Installed2 | tee log'],
    },
  ),
  given(
    'pgpass',
    [':5432:', ':5433:', ':6432:', ':*:', 'pgpass'],
    '(?<![\\w.*:-])(?:[\\w.-]{1,80}|\\*):(?:[0-9]{4,5}|\\*):(?:[\\w-]{1,60}|\\*):(?:[\\w.-]{1,60}|\\*):(?![0-9.]{1,12}(?:\\s|$)|[^\\s:]{0,80}:)',
    {
      catches: ['db1.corp.dev:5432:shop:app:¤', '*:*:*:postgres:¤'],
      allows: [
        'db1.corp.dev:5432:shop:app:*',
        '127.0.0.1:5432:5432',
        'hostname:5432:database:username:password',
        'dana:*:20119552:65534:dana-2:/:/usr/sbin/nologin',
      ],
    },
  ),
  given(
    'directive',
    ['bindpw', 'rootpw', 'requirepass', 'masterauth', 'authtok', 'enable secret', 'enable password'],
    '\\b(?:(?:root)?bindpw|rootpw|requirepass|masterauth|ldap_default_authtok|enable (?:secret|password))(?: = |:?\\s{1,8})(?:[0-9] )?',
    {
      catches: ['bindpw ¤', 'requirepass ¤', 'enable secret 0 ¤'],
      allows: ['bindpw is read from /etc/ldap.secret', 'requirepass foobared', 'rootpw {SSHA}abc123'],
    },
    'asked',
  ),
  given(
    'oracle',
    ['jdbc:oracle', 'sqlplus', 'expdp', 'impdp', 'sqlldr', 'rman'],
    '\\b(?:jdbc:oracle:(?:thin|oci8?):|(?:sqlplus|expdp|impdp|sqlldr|rman target)\\s(?:-[A-Za-z]{1,2}\\s)?["\']?)[\\w$#]{1,40}/(?!tiger@)(?=[^\\s/@]{4,60}@)',
    {
      catches: ['jdbc:oracle:thin:scott/¤@db1.corp.dev:1521:ORCL', 'sqlplus app/¤@//db1.corp.dev:1521/SHOP'],
      allows: [
        'jdbc:oracle:thin:@db1.corp.dev:1521:ORCL',
        'jdbc:oracle:thin:scott/tiger@host:1521:x',
        'sqlplus app/$PASS1@db1',
      ],
    },
  ),
  given(
    'literal',
    ['--from-literal'],
    '--from-literal[= ]["\']?[\\w.-]{0,40}(?:pass|pw|secret|token|key)[\\w.-]{0,20}=',
    {
      catches: ['kubectl create secret generic db --from-literal=password=¤'],
      allows: [
        'kubectl create secret generic db --from-literal=password=$PASS1',
        'kubectl create configmap a --from-literal=mode=Debug2024',
      ],
    },
  ),
  given(
    'wifi',
    ['nmcli', 'wpa_passphrase', 'psk'],
    `(?:\\bnmcli\\b${ON}(?:password|wifi-sec\\.psk)\\s|\\bwpa_passphrase\\s(?:"[^"\\n]{1,32}"|\\S{1,32})\\s|\\bpsk\\s?=\\s?)`,
    {
      catches: ['nmcli dev wifi connect Corp-Guest password ¤', 'wpa_passphrase Corp-Guest ¤', 'psk="¤"'],
      allows: ['nmcli dev wifi connect Corp-Guest2 --ask', 'psk="$WIFI_PSK1"', 'psk=<psk>'],
    },
  ),
  given(
    'setting',
    ['_pass', 'sshpass='],
    '\\b(?:[A-Za-z]\\w{0,40}_pass|SSHPASS)["\']?\\s?[:=]\\s?',
    {
      catches: ['ansible-playbook site.yml -e ansible_become_pass=¤', 'smtp_pass: ¤'],
      allows: ['ansible_become_pass: "{{ vault_pass1 }}"', 'tests_pass: true', 'smtp_pass: $SMTP_PASS1'],
    },
    'asked',
  ),
  given(
    'read-from',
    ['<(echo'],
    '<\\(echo (?:-n )?',
    {
      catches: ['rsync --password-file=<(echo ¤) a rsync://b@c/d'],
      allows: ['rsync --password-file=<(echo $PASS1) a b', 'diff <(echo hello) b'],
    },
    'asked',
  ),
];

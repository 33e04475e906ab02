import { isPlaceholder, mayBeLive } from '../placeholders.ts';
import type { SecretRule } from '../rule.ts';
import { HEX, sampleToken } from '../sample-tokens.ts';

/** Secrets by their place in a file, where nothing else is written. */
export const FILE_RULES: readonly SecretRule[] = [
  {
    rule: 'npmrc-token',
    severity: 'block',
    what: 'a registry token',
    keywords: ['_authtoken', '_auth=', '_auth =', '_password'],
    pattern: /_(?:authToken|auth|password)\s?=\s?["']?([A-Za-z0-9+/=_.-]{16,400})/gi,
    accepts: (secret) => !isPlaceholder(secret) && mayBeLive(secret, 16) && /[0-9A-Z=]/.test(secret),
    get catches() {
      return [`//registry.corp.dev/:_authToken=${sampleToken(36)}`];
    },
    allows: [`//registry.corp.dev/:_authToken=${'$'}{NPM_TOKEN}`, '_authToken=your-token-goes-here'],
  },
  {
    rule: 'kubernetes-secret',
    severity: 'hold',
    what: 'a Kubernetes secret with its data',
    keywords: ['kind: secret', 'kind: "secret"', "kind: 'secret'"],
    pattern:
      /\bdata:[ \t]{0,4}\n[ \t]{1,8}[\w.-]{1,60}:[ \t]{1,4}["']?([A-Za-z0-9+/]{10,4000}={0,2})(?=["']?[ \t]{0,8}(?:\n|$))/g,
    accepts: (secret) => secret.length % 4 === 0 && mayBeLive(secret, 10),
    get catches() {
      return [`kind: Secret\ndata:\n  extra: ${Buffer.from(`admin:${sampleToken(9)}`).toString('base64')}`];
    },
    allows: ['kind: Secret\ndata:\n  extra: YmFyCg==', 'kind: Secret\ndata:\n  password: {{ .Values.password }}'],
  },
  {
    rule: 'config-password',
    severity: 'hold',
    what: 'a password in a configuration file',
    keywords: ['password" value='],
    pattern: /key="(?:ClearText)?Password"\s{1,4}value="([^"%\n]{1,80}%?[^"\n]{0,80})"/gi,
    accepts: (secret) =>
      secret.length >= 6 && !/^%.*%$|^\$|^\{|^#\{|^\[/.test(secret) && !/^(?:x+|\*+|password)$/i.test(secret),
    get catches() {
      return ['<add key="ClearTextPassword" value="Blue%Kite" />', `<add key="Password" value="${sampleToken(9)}" />`];
    },
    allows: ['<add key="ClearTextPassword" value="%FEED_PASSWORD%" />', '<add key="Password" value="abc" />'],
  },
  {
    rule: 'sidekiq-licence',
    severity: 'block',
    what: 'a Sidekiq licence',
    keywords: ['contribsys'],
    pattern:
      /(?:__CONTRIBSYS__COM\w{0,20}["']?\s{0,3}(?:=>|[:=]{1,4})\s{0,3}["']?([0-9a-f]{8}:[0-9a-f]{8})(?![0-9a-f])|:\/\/([0-9a-f]{8}:[0-9a-f]{8})(?=@(?:gems|enterprise)\.contribsys\.com))/gi,
    accepts: (secret) => mayBeLive(secret, 12),
    get catches() {
      return [`BUNDLE_GEMS__CONTRIBSYS__COM="${sampleToken(8, HEX)}:${sampleToken(8, HEX, 2)}"`];
    },
    allows: ['BUNDLE_GEMS__CONTRIBSYS__COM=xxxxxxxx:xxxxxxxx'],
  },
  {
    rule: 'terraform-password',
    severity: 'hold',
    what: 'a password in a resource',
    keywords: ['password'],
    pattern: /\b(?:administrator_login_|master_|admin_|db_)?password[ \t]{1,20}=[ \t]{1,4}"([^"$\n\s]{8,40})"/g,
    accepts: (secret) => !isPlaceholder(secret) && !/^(?:var|data|local|module)\./.test(secret),
    get catches() {
      return [`  password = "${'correct'}horse"`, `administrator_login_password = "${sampleToken(10)}"`];
    },
    allows: ['password = var.password', `password = "${'$'}{var.password}"`, 'password = "changeme"'],
  },
  {
    rule: 'wireguard-key',
    severity: 'block',
    what: 'a WireGuard private key',
    keywords: ['privatekey', 'presharedkey'],
    pattern: /\b(?:PrivateKey|PresharedKey)\s{0,3}=\s{0,3}([A-Za-z0-9+/]{43}=)(?![A-Za-z0-9+/=])/g,
    accepts: (secret) => mayBeLive(secret, 40),
    get catches() {
      return [`PrivateKey = ${sampleToken(43)}=`];
    },
    get allows() {
      return [`PublicKey = ${sampleToken(43)}=`, 'PrivateKey = <private key>'];
    },
  },
  {
    rule: 'private-key-file',
    severity: 'block',
    what: 'a private key',
    keywords: ['putty-user-key-file', 'ssh2 encrypted private key', 'openvpn static key'],
    pattern:
      /(?:PuTTY-User-Key-File-[23]: [a-z0-9-]{3,30}[\s\S]{0,600}?Private-Lines: [0-9]{1,3}(?:\s{1,2}[A-Za-z0-9+/=]{4,76}(?=\s|$)){0,400}|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(?:\s{1,2}[A-Za-z0-9+/=]{4,76}(?=\s|$)){0,400}|-----BEGIN OpenVPN Static key V1-----(?:\s{1,2}[0-9a-f]{32}(?=\s|$)){0,20})/g,
    get catches() {
      return [
        `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n${sampleToken(64)}\n${sampleToken(64, undefined, 2)}`,
        `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${sampleToken(64)}`,
        `-----BEGIN OpenVPN Static key V1-----\n${sampleToken(32, HEX)}\n${sampleToken(32, HEX, 2)}`,
      ];
    },
    allows: ['PuTTY-User-Key-File-3 is how they begin', '---- BEGIN SSH2 PUBLIC KEY ----'],
  },
  {
    rule: 'json-web-key',
    severity: 'block',
    what: 'a private key (JWK)',
    keywords: ['"kty"'],
    pattern: /"d"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{40,700})"/g,
    accepts: (secret) => mayBeLive(secret, 40),
    get catches() {
      return [`{"kty":"EC","crv":"P-256","d":"${sampleToken(43)}"}`];
    },
    get allows() {
      return [`{"kty":"EC","crv":"P-256","x":"${sampleToken(43)}"}`, `{"d":"${sampleToken(43)}"}`];
    },
  },
  {
    rule: 'freemius-secret',
    severity: 'block',
    what: 'a Freemius secret key',
    keywords: ['secret_key'],
    pattern: /["']secret_key["']\s{0,4}=>\s{0,4}["'](sk_[^\s"']{29})(?=["'])/g,
    accepts: (secret) => mayBeLive(secret.slice(3), 20),
    get catches() {
      return [`'secret_key' => 'sk_${sampleToken(27)}#&'`];
    },
    get allows() {
      return [`'secret_key' => 'sk_${'x'.repeat(29)}'`, `'public_key' => 'pk_${sampleToken(29)}'`];
    },
  },
  {
    rule: 'netrc-password',
    severity: 'hold',
    what: 'a password in a .netrc file',
    keywords: ['machine '],
    pattern: /\bmachine\s{1,4}[\w.-]{1,100}\s{1,8}login\s{1,4}\S{1,80}\s{1,8}password\s{1,4}(\S{4,200})/g,
    accepts: (secret) => !isPlaceholder(secret),
    get catches() {
      return [`machine git.corp.dev login ci password ${sampleToken(9)}`];
    },
    allows: ['machine git.corp.dev login ci password <password>', 'the machine has a login and a password'],
  },
  {
    rule: 'docker-auth',
    severity: 'hold',
    what: 'registry credentials in a Docker configuration',
    keywords: ['"auth"'],
    pattern: /"auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{8,400}={0,2})(?=")/g,
    accepts: (secret) => /^[\x20-\x7e]{1,64}:[\x20-\x7e]{3,}$/.test(Buffer.from(secret, 'base64').toString('latin1')),
    get catches() {
      return [`{"auths":{"r.corp.dev":{"auth":"${Buffer.from(`ci:${sampleToken(9)}`).toString('base64')}"}}}`];
    },
    allows: ['{"auth":"oauth2/callback"}', '{"auth":"required"}'],
  },
  {
    rule: 'password-hash',
    severity: 'hold',
    what: 'the hash of a password',
    keywords: ['$2a$', '$2b$', '$2y$', '$5$', '$6$', '$y$', '$apr1$', '$argon2'],
    pattern:
      /(?<![\w$])(?:\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}|\$(?:5|6|y|apr1)\$[./A-Za-z0-9=$,]{0,40}\$[./A-Za-z0-9]{22,86}|\$argon2(?:id?|d)\$v=[0-9]{2}\$[a-z0-9=,]{8,40}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{22,128})/g,
    accepts: (secret) => mayBeLive(secret, 24),
    get catches() {
      return [
        `admin:$2b$12$${sampleToken(53)}`,
        `root:$6$${sampleToken(16)}$${sampleToken(86)}`,
        `$argon2id$v=19$m=65536,t=3,p=4$${sampleToken(22)}$${sampleToken(43)}`,
      ];
    },
    allows: ['hashes begin with $2b$12$ there', `$2b$12$${'x'.repeat(53)}`],
  },
];

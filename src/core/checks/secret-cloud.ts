import { alnum, base64, hex, lower, padded, prefixed, type SecretRule, upper, wide } from './secret-facts.ts';

/** Tokens of clouds, hosts and what runs on them, by the prefix their providers document. */
export const CLOUD_RULES: readonly SecretRule[] = [
  prefixed('alibaba-key-id', 'an Alibaba Cloud key id', 'LTAI', [alnum(17, 26)]),
  prefixed('tencent-key-id', 'a Tencent Cloud key id', 'AKID', [alnum(32)]),
  prefixed('aws-other-key-id', 'an AWS key id', ['ABIA', 'ACCA'], [upper(16)]),
  prefixed('bedrock-key', 'an Amazon Bedrock key', 'ABSKQmVkcm9ja0FQSUtleS', [base64(90, 300)]),
  prefixed('bedrock-short-key', 'a short-lived Amazon Bedrock key', 'bedrock-api-key-', [base64(24, 4000)]),
  prefixed('google-oauth-secret', 'a Google OAuth client secret', 'GOCSPX-', [wide(28)]),
  prefixed('google-access-token', 'a Google access token', 'ya29.', [wide(40, 2000)]),
  prefixed('google-refresh-token', 'a Google refresh token', '1//0', [wide(40, 200)]),
  prefixed('digitalocean-token', 'a DigitalOcean token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], [hex(64)]),
  prefixed('databricks-token', 'a Databricks token', ['dapi', 'dose', 'dkea'], [hex(32)]),
  prefixed('heroku-token', 'a Heroku token', 'HRKU-', [wide(36, 80)]),
  prefixed('fly-token', 'a Fly.io token', ['fo1_', 'fm1r_', 'fm1a_', 'fm1_', 'fm2_'], [part64(43, 3000)]),
  prefixed('yandex-key', 'a Yandex Cloud key', 'AQVN', [wide(35, 38)]),
  prefixed('yandex-aws-key', 'a Yandex Cloud key', 'YC', [wide(38)]),
  prefixed('yandex-token', 'a Yandex Cloud token', 't1.', [padded(1, 200), '.', padded(60, 140)]),
  prefixed('cloudflare-origin-key', 'a Cloudflare origin key', 'v1.0-', [hex(24), '-', hex(146)]),
  prefixed('netlify-token', 'a Netlify token', ['nfp_', 'nfc_', 'nfo_', 'nfu_', 'nfb_'], [alnum(36, 40)]),
  prefixed('vercel-token', 'a Vercel token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], [alnum(24, 80)]),
  prefixed('vercel-blob-token', 'a Vercel storage token', 'vercel_blob_rw_', [wide(30, 80)]),
  prefixed('render-key', 'a Render key', 'rnd_', [alnum(28, 40)]),
  prefixed('supabase-token', 'a Supabase token', 'sbp_', [hex(40)]),
  prefixed('supabase-key', 'a Supabase key', 'sb_secret_', [wide(20, 60)]),
  prefixed(
    'planetscale-secret',
    'a PlanetScale secret',
    ['pscale_pw_', 'pscale_tkn_', 'pscale_oauth_'],
    [dotted(32, 64)],
  ),
  prefixed('neon-key', 'a Neon key', 'napi_', [lower(48, 80)]),
  prefixed('pulumi-token', 'a Pulumi token', 'pul-', [hex(40)]),
  prefixed('vault-token', 'a Vault token', ['hvs.', 'hvb.', 'hvr.'], [wide(24, 300)]),
  prefixed(
    'doppler-token',
    'a Doppler token',
    ['dp.pt.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.', 'dp.said.'],
    [alnum(40, 44)],
  ),
  prefixed('doppler-service-token', 'a Doppler token', ['dp.st.'], [alnum(40, 44)]),
  prefixed('infracost-key', 'an Infracost key', 'ico-', [alnum(32)]),
  prefixed('scalingo-token', 'a Scalingo token', 'tk-us-', [wide(48)]),
  prefixed('openshift-token', 'an OpenShift token', 'sha256~', [wide(43)]),
  prefixed('defined-networking-token', 'a Defined Networking token', 'dnkey-', [padded(26), '-', padded(52)]),
  prefixed(
    'tailscale-key',
    'a Tailscale key',
    ['tskey-auth-', 'tskey-api-', 'tskey-client-', 'tskey-scim-'],
    [wide(20, 90)],
  ),
  prefixed('tailscale-old-key', 'a Tailscale key', 'tskey-', [alnum(12, 40)]),
  prefixed('harness-key', 'a Harness key', ['pat.', 'sat.'], [wide(22), '.', alnum(24), '.', alnum(20)]),
  prefixed('octopus-key', 'an Octopus Deploy key', 'API-', [upper(26)]),
  prefixed('prefect-key', 'a Prefect key', ['pnu_', 'pnb_'], [alnum(36)]),
  prefixed('confluent-secret', 'a Confluent Cloud secret', 'cflt', [base64(56, 64)], 'hold'),
  prefixed('aiven-token', 'an Aiven token', ['AVNS_', 'aivenv1'], [base64(18, 500)]),
  prefixed('clickhouse-key', 'a ClickHouse Cloud key', '4b1d', [alnum(38)]),
  prefixed('circleci-token', 'a CircleCI token', ['CCIPAT_', 'CCIPRJ_'], [alnum(20, 24), '_', hex(40)]),
  prefixed('buildkite-token', 'a Buildkite token', ['bkua_', 'bkaj_', 'bkct_'], [alnum(32, 80)]),
  prefixed('akamai-secret', 'an Akamai EdgeGrid token', ['akab-', 'akaa-'], [lower(16), '-', lower(16)]),
  prefixed('scaleway-key-id', 'a Scaleway key id', 'SCW', [upper(17)]),
];

function part64(least: number, most: number) {
  return { ...base64(least, most), source: `[A-Za-z0-9+/=_,-]{${least},${most}}` };
}

function dotted(least: number, most: number) {
  return { ...padded(least, most), source: `[A-Za-z0-9_=.-]{${least},${most}}` };
}

/** Names of headers, parameters and keys whose values are secrets. */

/** Whether what stands under this name is never shown. Case, `$` and surrounding blanks do not matter. */
export const isSecretName = (name: string): boolean =>
  names.has(name.trim().replace(/^\$+/, '').toLowerCase())

const names: ReadonlySet<string> = new Set([
  'access_token',
  'api-key',
  'api_key',
  'apikey',
  'app_token',
  'auth_key',
  'authorization',
  'client_secret',
  'password',
  'proxy-authorization',
  'secret',
  'set-cookie',
  'token',
  'x-api-key',
  'x-app-token',
])

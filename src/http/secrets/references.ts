/** How a configuration speaks of secrets: `{ "secret": "name" }`, or a literal under a name that says what it is. */

import type { Complaint } from '../../errors.ts'
import { shown } from '../problem.ts'
import { credentialsIn } from './links.ts'
import { isSecretName } from './names.ts'
import type { Secrets } from './registry.ts'
import type { Secret } from './secret.ts'

/**
 * The secret that a value stands for: a reference by its name, a text as itself (foreign files have it so). Nothing when
 * the name is unknown or the value is neither.
 */
export function secretOf(value: unknown, secrets: Secrets): Secret | undefined {
  if (typeof value === 'string') return secrets.add(value)
  const name = referenceOf(value)
  return name === undefined ? undefined : secrets.named(name)
}

/**
 * Complaints about references to secrets that nobody configured, each with its JSON Pointer (RFC 6901). Literals under
 * secret names and the credentials of addresses are made known to the registry on the way, so that no log shows them.
 */
export function unknownSecrets(config: unknown, secrets: Secrets): readonly Complaint[] {
  return [...complaints(config, secrets, '')]
}

const deepest = 64

function* complaints(value: unknown, secrets: Secrets, pointer: string): Generator<Complaint> {
  if (typeof value === 'string') for (const secret of credentialsIn(value)) secrets.add(secret)
  if (typeof value !== 'object' || value === null) return
  if (pointer.split('/').length > deepest) return
  const name = referenceOf(value)
  if (name !== undefined && !secrets.named(name)) {
    yield { pointer, detail: `no secret is called ${shown(name)}` }
  }
  for (const [key, part] of Object.entries(value)) {
    // The text beside `secret` is a name, not a value.
    const literal = typeof part === 'string' && isSecretName(key) && key !== 'secret'
    if (literal) secrets.add(part)
    else yield* complaints(part, secrets, `${pointer}/${escaped(key)}`)
  }
}

const referenceOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'secret' in value
    ? typeof value.secret === 'string'
      ? value.secret
      : undefined
    : undefined

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

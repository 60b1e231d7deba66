/** All secrets that the process knows, by name where they have one, and how they are kept out of every text. */

import { mask, Secret } from './secret.ts'

export type Secrets = {
  /** The secret that pipes call by this name. */
  named(name: string): Secret | undefined
  /** A secret without a name: a literal in a pipe, a token of a repository. */
  add(value: string): Secret
  /** The text with every known secret of six or more characters masked, also escaped or encoded. */
  clean(text: string): string
  /** A plain value, such as a problem or a report, with all its texts cleaned, names of members too. */
  cleaned(value: unknown): unknown
}

/** `named`: name → value, as the operator configured them. */
export function secretRegistry(named: Readonly<Record<string, string>> = {}): Secrets {
  const byName = new Map(Object.entries(named).map(([name, value]) => [name, new Secret(value)]))
  const known = new Set<string>()
  let pattern: RegExp | undefined
  const learn = (value: string) => {
    if (value.length < shortest || known.has(value)) return
    known.add(value)
    pattern = patternOf(known)
  }
  for (const value of Object.values(named)) learn(value)
  const clean = (text: string) => (pattern ? text.replace(pattern, mask) : text)
  return {
    named: (name) => byName.get(name),
    add: (value) => {
      learn(value)
      return new Secret(value)
    },
    clean,
    cleaned: (value) => cleaned(value, clean, 0),
  }
}

/** Shorter ones would mask half of every text. */
const shortest = 6
const deepest = 64

/** Longer forms first, so that no tail of a secret is left because another one is its beginning. */
function patternOf(values: ReadonlySet<string>): RegExp {
  const forms = new Set([...values].flatMap(formsOf))
  const sorted = [...forms].toSorted((a, b) => b.length - a.length)
  return new RegExp(sorted.map((form) => form.replace(special, '\\$&')).join('|'), 'g')
}

const special = /[\\^$.*+?()[\]{}|/-]/g

/** As it is, inside JSON, inside a URL or a form, and as part of a Basic credential. */
function formsOf(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.toWellFormed())
  const bytes = Buffer.from(value)
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    new URLSearchParams({ '': value }).toString().slice(1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

function cleaned(value: unknown, clean: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof Secret) return mask
  if (depth >= deepest) return mask
  if (Array.isArray(value)) return value.map((part: unknown) => cleaned(part, clean, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [clean(name), cleaned(part, clean, depth + 1)]),
  )
}

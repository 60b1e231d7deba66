/** Reads the shipped container files as Docker would, as far as the tests need it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export const root = new URL('../..', import.meta.url).pathname
export const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Instruction = { readonly name: string; readonly words: string }

/** The instructions of a Dockerfile, with continued lines joined and comments left out. */
function instructions(path: string): Instruction[] {
  return read(path)
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, name, words] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
      return name && words ? [{ name, words }] : []
    })
}

/** The words of every instruction of a name, in order. */
export const all = (path: string, name: string): string[] =>
  instructions(path).flatMap((instruction) => (instruction.name === name ? instruction.words : []))

/** The variables of `ENV`. */
export const env = (path: string): Record<string, string> =>
  Object.fromEntries(
    all(path, 'ENV').flatMap((words) =>
      words.split(' ').map((pair) => pair.split('=') as [string, string]),
    ),
  )

/** The variables of an env file; comments and blank lines are left out. */
export const envFile = (path: string): Record<string, string> =>
  Object.fromEntries(
    [...read(path).matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )

type Variables = Readonly<Record<string, string>>

/** `${NAME}`, `${NAME:-default}`, `${NAME:?why not}` and `$$`, as Compose puts values in; a lack is an error. */
function interpolated(text: string, values: Variables): string {
  return text.replaceAll(
    /\$(?:\$|\{(\w+)(?::(-|\?)([^}]*))?\})/g,
    (_, name: string | undefined, kind: string | undefined, rest: string) => {
      if (name === undefined) return '$'
      const value = values[name]
      if (value) return value
      if (kind === '-') return rest
      throw new Error(`${name}: ${kind === '?' ? rest : 'not set'}`)
    },
  )
}

/** The document with its variables put in, value by value as Compose does, and its `<<` merged. */
export function composed(path: string, values: Variables): unknown {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return interpolated(value, values)
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
  }
  return fill(parse(read(path), { merge: true, version: '1.2' }))
}

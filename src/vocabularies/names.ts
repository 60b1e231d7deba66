/** The tables of `shapes/names`: other names for the concepts of controlled vocabularies, one concept a line. */

import { readFileSync } from 'node:fs'

type NameTable =
  | 'access-rights'
  | 'formats'
  | 'frequencies'
  | 'inspire-themes'
  | 'iso-topics'
  | 'languages'
  | 'licences'
  | 'themes'

/** Name → what is before the colon of its line, `CODE: name, name`; lines that begin with `#` are comments. */
export function namesOf(table: NameTable): ReadonlyMap<string, string> {
  const file = new URL(`../../shapes/names/${table}.txt`, import.meta.url)
  const lines = readFileSync(file, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [, meaning = '', names = ''] = /^([^#].*?): (.*)$/.exec(line) ?? []
      return names === '' ? [] : names.split(', ').map((name) => [name, meaning] as const)
    }),
  )
}

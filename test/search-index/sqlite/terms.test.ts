/** What the writer remembers of words is bounded; what it writes does not depend on what it remembers. */

import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createCommonTables } from '../../../src/search-index/sqlite/index-file.ts'
import { TermDictionary } from '../../../src/search-index/sqlite/indexed-text.ts'

/** More than are remembered, and some that come again and again. */
const texts = Array.from({ length: 7_000 }, (_, n) =>
  Array.from({ length: 10 }, (_one, i) => `Häuser dataset${n}x${i}`).join(' '),
)

test('every word is in the dictionary once, however many there are and however often they come', () => {
  const db = new DatabaseSync(':memory:')
  createCommonTables(db)
  const terms = new TermDictionary(db)
  const tokens = (text: string) => terms.tokenise('de', text, Infinity).text.split(' ')
  const first = texts.map(tokens)
  expect(texts.map(tokens)).toEqual(first)
  const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']
  expect(count('term')).toBe(new Set(first.flat()).size)
  expect(count('term')).toBe(70_001)
  db.close()
})

test('what was rolled back is written again, also of words that were met long ago', () => {
  const db = new DatabaseSync(':memory:')
  createCommonTables(db)
  const terms = new TermDictionary(db)
  const found = () => db.prepare(`SELECT 1 FROM term WHERE bucket = 'de'`).all().length
  db.exec('BEGIN')
  for (const text of texts.slice(0, 3_000)) terms.tokenise('de', text, Infinity)
  db.exec('ROLLBACK')
  terms.forget()
  expect(found()).toBe(0)
  terms.tokenise('de', texts[0] ?? '', Infinity)
  expect(found()).toBe(11)
  db.close()
})

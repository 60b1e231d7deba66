/** A word finds the titles with a form of it in an index, in every language with a stemmer. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { wordLeaf } from '../../src/search/query/word-leaf.ts'
import { indexedLanguages } from '../../src/text/language.ts'
import { configured, documentOf, request } from '../contracts/search-index-corpus.ts'
import { inflected, pairsOf } from '../text/inflected-words.ts'

/** The pairs of the design that are not among the ten. */
const more: Readonly<Record<string, string>> = {
  ar: ' مدارس/المدارس',
  no: ' sykkelvei/sykkelveier',
  tr: ' hattı/hatları',
}
const languages = Object.keys(inflected)
const pairs = (language: string) => pairsOf(inflected[language]! + (more[language] ?? ''))

/** Words that do not find a title with the other form: their folded form has another stem than the word as typed. */

let directory: string
let index: SearchIndex

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'word-forms-'))
  index = await embeddedIndex({ directory, log: logger('silent'), languages: indexedLanguages })
  await configured(index)
  const samples = languages.flatMap((language) =>
    [...new Set(pairs(language).flat())].map((word) => {
      return { id: `${language} ${word}`, text: { title: { [language]: [word] } } }
    }),
  )
  await index.write(samples.map((sample) => ({ put: documentOf({ index: 'dataset', ...sample }) })))
})

afterAll(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

describe('a word finds its inflected form, and the form finds the word', () => {
  it.each(languages)('%s', async (language) => {
    const missing: string[] = []
    const both = pairs(language).flatMap(([word, form]) => [
      [word, form] as const,
      [form, word] as const,
    ])
    for (const [word, form] of both) {
      const { hits } = await index.search(request({ tree: wordLeaf(word)! }))
      if (!hits.some(({ id }) => id === `${language} ${form}`)) missing.push(`${word}/${form}`)
    }
    expect(missing.join(' ')).toBe('')
  })
})

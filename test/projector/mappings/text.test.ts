/** Texts and keywords: what a row of the table does not show. */

import { expect, test } from 'vitest'
import { concepts, mapped } from './mapped.ts'

test('texts without a tag get the default language of the catalogue', async () => {
  const { json } = await mapped('MultiLang', '"Wasser", "Water"@en', { language: 'de' })
  expect(json).toEqual({ de: 'Wasser', en: 'Water' })
})

test('a keyword id has at most 256 characters and no dash at its end', async () => {
  const { json } = await mapped('Keywords', `"${'abc '.repeat(200)}"`)
  const id = `${'abc-'.repeat(63)}abc`
  expect(json).toMatchObject([{ id }])
})

test('a keyword by concept has the language of the label that was found', async () => {
  const scheme = 'https://a.example/scheme'
  const words = concepts.withBundledFacts({
    iri: 'https://a.example/mot',
    id: 'mot',
    scheme,
    deprecated: false,
    prefLabel: { fr: 'Mot' },
    label: 'Mot',
    altLabel: {},
    exactMatch: [],
    closeMatch: [],
    broader: [],
    narrower: [],
    extensions: {},
    mediaTypes: [],
    endings: [],
    machineReadable: false,
    nonProprietary: false,
  })
  concepts.replace(scheme, [words])
  const { json } = await mapped('Keywords', 'ex:mot')
  concepts.replace(scheme, undefined)
  expect(json).toEqual([{ id: 'mot', label: 'Mot', language: 'fr' }])
})

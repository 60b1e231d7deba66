/** Texts and keywords: what a row of the table does not show. */

import { expect, test } from 'vitest'
import { mapped } from './mapped.ts'

test('texts without a tag get the default language of the catalogue', async () => {
  const { json } = await mapped('MultiLang', '"Wasser", "Water"@en', { language: 'de' })
  expect(json).toEqual({ de: 'Wasser', en: 'Water' })
})

test('a keyword id has at most 256 characters and no dash at its end', async () => {
  const { json } = await mapped('Keywords', `"${'abc '.repeat(200)}"`)
  const id = `${'abc-'.repeat(63)}abc`
  expect(json).toMatchObject([{ id }])
})

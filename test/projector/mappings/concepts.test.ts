/** Themes: what a row of the table does not show. */

import { describe, expect, test } from 'vitest'
import { mapped } from './mapped.ts'

const eu = (path: string) => `http://publications.europa.eu/resource/authority/${path}`
const iri = 'https://a.example/x'

describe('Theme', () => {
  test('a theme has its labels in all languages', async () => {
    const { json } = await mapped('Theme', 'eu:data-theme\\/ENVI, "tran"')
    expect(json).toMatchObject([
      { id: 'ENVI', label: { de: 'Umwelt', en: 'Environment' }, resource: eu('data-theme/ENVI') },
      { id: 'TRAN', label: { de: 'Verkehr' } },
    ])
  })

  test('a label is no code, and what is unknown is left out', async () => {
    const found = await mapped('Theme', `"Umwelt", <${iri}>`)
    expect(found).toEqual({
      json: undefined,
      problems: ['unknown-concept: Umwelt', `unknown-concept: ${iri}`],
    })
  })

  test('a concept of another vocabulary is taken when it is known', async () => {
    const { json } = await mapped('Theme', '<http://data.europa.eu/bna/c_ac64a52d>')
    expect(json).toMatchObject([{ id: 'c_ac64a52d' }])
  })
})

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

  test.each([
    '"Environment"',
    '"Umwelt"@de',
    '[ skos:prefLabel "Environnement"@fr ]',
    '[ a skos:Concept ; skos:notation "ENVI" ]',
    '[ dct:identifier eu:data-theme\\/ENVI ]',
    '[ skos:exactMatch <https://publications.europa.eu/resource/authority/data-theme/envi/> ]',
    'ex:t . ex:t rdfs:label "Environment"@en',
    '<http://publications.europa.eu/resource/authority/data-theme/envi>',
    '<https://inspire.ec.europa.eu/theme/am>',
  ])('%s is the environment', async (turtle) => {
    const { json, problems } = await mapped('Theme', turtle)
    expect(json).toMatchObject([{ id: 'ENVI', resource: eu('data-theme/ENVI') }])
    expect(problems).toEqual([])
  })

  test('what is unknown is shown with its text or IRI, and told', async () => {
    const found = await mapped('Theme', `"Kites", <${iri}>`)
    expect(found).toEqual({
      json: [
        { id: iri, label: { en: 'x' }, resource: iri },
        { id: 'kites', label: { en: 'Kites' } },
      ],
      problems: ['unknown-concept: Kites', `unknown-concept: ${iri}`],
    })
  })

  test('FrequencyMultiLang has its labels in all languages', async () => {
    const { json } = await mapped('FrequencyMultiLang', '"monthly"', { single: true })
    expect(json).toMatchObject({ id: 'MONTHLY', label: { de: 'monatlich', en: 'monthly' } })
  })

  test('a concept of another vocabulary is taken when it is known', async () => {
    const { json } = await mapped('Theme', '<http://data.europa.eu/bna/c_ac64a52d>')
    expect(json).toMatchObject([{ id: 'c_ac64a52d' }])
  })
})

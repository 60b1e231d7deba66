/** Vocabularies from PUT to index: what of them is searchable, whatever their defects and their size. */

import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectorFixture } from './projector-fixture.ts'

const folder = new URL('../../../../shared/data/vocabularies/eu/', import.meta.url)

let at: Awaited<ReturnType<typeof projectorFixture>>
beforeAll(async () => {
  at = await projectorFixture()
}, 30_000)
afterAll(() => at.close())

const indexed = async (vocabulary: string) => {
  const entries: string[] = []
  for (;;) {
    const page = await at.index.entries('vocabulary', entries.at(-1) ?? `${vocabulary}/`, 1000)
    entries.push(...page.map(({ id }) => id).filter((id) => id.startsWith(`${vocabulary}/`)))
    if (page.length < 1000) return entries
  }
}
const putFile = (id: string, file: string) => {
  const type = file.endsWith('.rdf') ? 'application/rdf+xml' : 'text/turtle'
  return at.ask('PUT', `/vocabularies/${id}`, readFileSync(new URL(file, folder), 'utf8'), type)
}

describe.skipIf(!existsSync(folder))('tables of the European Union as they are', () => {
  it.each([
    ['access-right', 'access-right.ttl', 6],
    ['dataset-type', 'dataset-type.ttl', 24],
    ['distribution-status', 'distribution-status.ttl', 4],
    ['distribution-type', 'distribution-type.ttl', 4],
    ['planned-availability', 'planned-availability.ttl', 4],
    ['hvd-category', 'hvd-category.ttl', 96],
    ['frequency', 'frequency-2022.ttl', 38],
    ['licence', 'licence-2024.ttl', 173],
    ['language', 'language-small.ttl', 5],
    ['continent', 'continent.rdf', 7],
    ['country', 'country.rdf', 284],
    ['data-theme', 'data-theme.rdf', 14],
    ['file-type', 'file-type-2018.rdf', 143],
    ['licence', 'licence-2018.rdf', 47],
    ['licence', 'known-licences.rdf', 20],
    ['frequency', 'frequency-multilingual.rdf', 23],
  ])('%s: all concepts of %s with a label are searchable', async (id, file, count) => {
    expect((await putFile(id, file)).status).toBeOneOf([201, 204])
    expect(await indexed(id)).toHaveLength(count)
  })

  it('one without a scheme is refused', async () => {
    const answer = await putFile('file-type-2022', 'file-type-2022.ttl')
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('missing-class')
  })

  it('a scheme that is stored under another id is refused', async () => {
    expect((await putFile('frequencies', 'frequency-2022.ttl')).status).toBe(409)
  })

  it('a table that goes gives way to the bundled one', async () => {
    await at.putCatalogue('tables')
    await at.putDataset('tables', 'themed', '<> dcat:theme eu:data-theme\\/ENVI .')
    await at.ask('DELETE', '/vocabularies/data-theme')
    await at.quiet()
    expect(await indexed('data-theme')).toEqual([])
    expect((await at.get('dataset', 'themed'))?.['categories']).toMatchObject([{ id: 'ENVI' }])
  })
})

describe('a vocabulary', () => {
  it('with concepts that break rules of SKOS is searchable: a scheme that is a concept, two labels in one language', async () => {
    const v = 'https://example.org/voc/odd'
    await at.ask(
      'PUT',
      '/vocabularies/odd',
      `<${v}> a skos:ConceptScheme, skos:Concept ; skos:prefLabel "Odd"@en .
       <${v}/1> a skos:Concept ; skos:inScheme <${v}> ; skos:prefLabel "Zwei"@de, "Eins"@de .`,
    )
    expect(await indexed('odd')).toEqual(['odd/1'])
    expect((await at.get('vocabulary', 'odd/1'))?.['pref_label']).toEqual({ de: 'Eins' })
  })

  it('gives an id to the current concept, and the deprecated one answers by its IRI', async () => {
    const v = 'https://example.org/voc/twice'
    const body = (iri: string, label: string, more = '') =>
      `<${v}/${iri}> a skos:Concept ; dc11:identifier "X" ; skos:inScheme <${v}> ; skos:prefLabel "${label}"@en ${more} .`
    await at.ask(
      'PUT',
      '/vocabularies/twice',
      `<${v}> a skos:ConceptScheme . ${body('a', 'Old', '; owl:deprecated true')} ${body('b', 'New')}
       <${v}/c> a skos:Concept ; skos:inScheme <${v}> .`,
    )
    expect((await at.get('vocabulary', 'twice/X'))?.['resource']).toBe(`${v}/b`)
    expect(await indexed('twice')).toEqual(['twice/X', `twice/${encodeURIComponent(`${v}/a`)}`])
  })

  it('whose scheme names its top concepts, and nothing else does, has them', async () => {
    const v = 'https://example.org/voc/tops'
    await at.ask(
      'PUT',
      '/vocabularies/tops',
      `<${v}> a skos:ConceptScheme ; skos:hasTopConcept <${v}/1> . <${v}/1> skos:prefLabel "One"@en .`,
    )
    expect(await indexed('tops')).toEqual(['tops/1'])
  })

  it('of 3,500 concepts is searchable when its PUT returns, and a rewrite takes out what is gone', async () => {
    const v = 'https://example.org/voc/many'
    const body = (count: number) =>
      `<${v}> a skos:ConceptScheme .\n` +
      Array.from(
        { length: count },
        (_, n) =>
          `<${v}/${n}> a skos:Concept ; skos:inScheme <${v}> ; skos:prefLabel "Concept ${n}"@en, "Begriff ${n}"@de .\n`,
      ).join('')
    expect((await at.ask('PUT', '/vocabularies/many', body(3500))).status).toBe(201)
    expect(await indexed('many')).toHaveLength(3500)
    expect((await at.ask('PUT', '/vocabularies/many', body(3400))).status).toBe(204)
    expect(await indexed('many')).toHaveLength(3400)
  }, 30_000)
})

/** Datasets that are handed over as texts: a verdict for each, and no harm to the others from one that cannot be taken. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetText } from '../../../src/repository/writing/bulk-write.ts'
import { repository } from '../../support/repository.ts'

const signal = AbortSignal.timeout(60_000)
const iriOf = (id: string) => `https://source.example/${id}`
const dataset = (id: string, more = ''): DatasetText => ({
  originalId: id,
  iri: iriOf(id),
  text: `<${iriOf(id)}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset> .\n${more}`,
})
const titled = (id: string, title: string) =>
  dataset(id, `<${iriOf(id)}> <http://purl.org/dc/terms/title> "${title}" .\n`)

describe('datasets that are handed over', () => {
  let repo: Awaited<ReturnType<typeof repository>>
  const turns: string[] = []
  beforeAll(async () => {
    repo = await repository({
      limits: { triples: 50 },
      keptUp: async () => void turns.push('kept up'),
    })
    await repo.putCatalogue('alpine-water')
  })
  afterAll(() => repo.close())
  const put = (...texts: readonly DatasetText[]) => repo.putDatasets('alpine-water', texts, signal)
  const statuses = async (...texts: readonly DatasetText[]) =>
    (await put(...texts)).map(({ status }) => status)

  it('are created, known again and updated, each under its own id', async () => {
    expect(await put(titled('a', 'A'), titled('b', 'B'))).toEqual([
      { originalId: 'a', id: 'a', status: 201 },
      { originalId: 'b', id: 'b', status: 201 },
    ])
    expect(await statuses(titled('a', 'A'), titled('b', 'B again'))).toEqual([304, 204])
    expect(await (await repo.ask('/datasets/b.nt')).text()).toContain('"B again"')
  })

  it('harm no other when one is no RDF, has no usable id or is too large', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `<${iriOf('l')}> <urn:p> "${n}" .\n`).join('')
    const verdicts = await put(
      dataset('n', `<${iriOf('n')}> nothing .\n`),
      { ...titled('x', 'X'), originalId: 'a\tb' },
      dataset('l', many),
      titled('good', 'Good'),
    )
    expect(verdicts.map(({ status }) => status)).toEqual([400, 400, 413, 201])
    const [broken] = verdicts
    expect(broken?.problem).toMatchObject({
      type: 'urn:cartulary:problem:malformed-rdf',
      instance: '/catalogues/alpine-water/datasets/bulk',
      errors: [expect.objectContaining({ line: 2 })],
    })
  })

  it('of a catalogue that is not there are told so one by one', async () => {
    const verdicts = await repo.putDatasets('nowhere', [titled('a', 'A')], signal)
    expect(verdicts).toMatchObject([{ originalId: 'a', status: 404 }])
  })

  it('wait for the index as bulk requests do', async () => {
    turns.length = 0
    await put(titled('w', 'W'))
    expect(turns).toEqual(['kept up'])
  })

  it('are not begun when nobody waits for them any more', async () => {
    const left = AbortSignal.abort(new Error('left'))
    await expect(repo.putDatasets('alpine-water', [titled('z', 'Z')], left)).rejects.toThrow('left')
    expect((await repo.ask('/datasets/z.nt')).status).toBe(404)
  })
})

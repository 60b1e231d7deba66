/** Bodies that are read before their IRI is sure: nobody can tell. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('first')
  await repo.putCatalogue('second')
})
afterAll(() => repo.close())

// A relative IRI and a fragment: what they mean depends on the IRI under which the body is read.
const relative = `${prefixes}<> a dcat:Dataset ; dct:title "Gauges"@en ; dcat:landingPage <#page> .`
const lines = async (id: string) => (await repo.ask(`/datasets/${id}.nt`)).text()
const about = (id: string) => `<${base}set/data/${id}> <http://www.w3.org/ns/dcat#landingPage> `

describe('a body that is read ahead', () => {
  it('is read under the IRI that its id promises', async () => {
    expect((await repo.putDataset('first', 'Gauges', relative)).status).toBe(201)
    expect(await lines('gauges')).toContain(`${about('gauges')}<${base}set/data/gauges#page>`)
  })

  it('is read again when the id was taken', async () => {
    const answer = await repo.putDataset('second', 'Gauges', relative)
    expect(answer.headers.get('Location')).toBe(`${base}set/data/gauges~~1`)
    expect(await lines('gauges~~1')).toContain(
      `${about('gauges~~1')}<${base}set/data/gauges~~1#page>`,
    )
  })

  it('replaces what is stored under its own IRI, and nothing else', async () => {
    const other = relative.replace('Gauges', 'Levels')
    expect((await repo.putDataset('first', 'Gauges', other)).status).toBe(204)
    expect(await lines('gauges')).not.toContain('"Gauges"@en')
    expect((await repo.putDataset('second', 'Gauges', other)).status).toBe(204)
    expect(await lines('gauges~~1')).not.toContain('"Gauges"@en')
    expect((await repo.putDataset('first', 'Gauges', relative)).status).toBe(204)
    expect(await lines('gauges')).not.toContain('"Levels"@en')
  })

  it('says what is wrong with it only after what is wrong with the request', async () => {
    const broken = `${prefixes}<> a dcat:Dataset ; dct:title "Gau`
    expect((await repo.putDataset('absent', 'Gauges', broken)).status).toBe(404)
    expect((await repo.putDataset('first', 'Gauges', broken)).status).toBe(400)
    expect((await repo.putDataset('second', 'Gauges', broken)).status).toBe(400)
    expect(await lines('gauges')).toContain('"Gauges"@en')
  })
})

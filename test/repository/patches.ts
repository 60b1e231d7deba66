/** The contract of PATCH with `application/rdf-patch`, for every store: `open` gives a repository over it. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { difference } from '../../src/rdf/difference.ts'
import { fromLines } from '../../src/rdf/lines.ts'
import { toPatch } from '../../src/rdf/patch.ts'
import { prefixes, type repository } from '../support/repository.ts'
import { aService } from './declared.ts'

type Repository = Awaited<ReturnType<typeof repository>>

const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "Levels"@en, "Pegel"@de ; dct:identifier "x" ;
  dcat:contactPoint [ a foaf:Agent ; foaf:name "Jane" ; foaf:account [ foaf:name "Inner" ] ] ;
  dcat:distribution [ a dcat:Distribution ; dct:title "As CSV" ; dcat:accessURL <https://e.org/l.csv> ] .`

const catalogue = `${prefixes}<> a dcat:Catalog ; dct:title "Rivers" ; dct:publisher [ a foaf:Agent ; foaf:name "Office" ] .`

export function patchContract(open: () => Promise<Repository>) {
  let repo: Repository
  beforeAll(async () => {
    repo = await open()
    await repo.putCatalogue('patched', catalogue)
    const put = { method: 'PUT', type: 'text/turtle', body: aService() }
    await repo.ask('/customresources/data-service/patched?catalogId=patched', put)
  })
  afterAll(async () => {
    // Other tests of a store list all services.
    await repo.ask('/customresources/data-service/patched', { method: 'DELETE' })
    await repo.close()
  })

  const read = async (path: string) => {
    const answer = await repo.ask(`${path}.nt`)
    return { etag: answer.headers.get('ETag') ?? '', text: await answer.text() }
  }
  const send = (path: string, body: string, headers: Record<string, string>) =>
    repo.ask(path, { method: 'PATCH', type: 'application/rdf-patch', body, headers })
  /** Edits the lines of an answer, and sends the difference. */
  const edit = async (path: string, change: (text: string) => string) => {
    const { etag, text } = await read(path)
    const patch = toPatch(await difference(fromLines(text), fromLines(change(text))))
    return send(path, patch, { 'If-Match': etag })
  }
  const putBack = async (path: string) =>
    repo.ask(path, { method: 'PUT', type: 'application/n-triples', body: (await read(path)).text })

  for (const [path, from, to] of [
    ['/datasets/patched-levels', '"Inner"', '"Innermost"'],
    ['/catalogues/patched', '"Office"', '"Agency"'],
    ['/customresources/data-service/patched', '"Desk"', '"Help desk"'],
  ] as const)
    it(`${path} changes what the patch names and nothing else`, async () => {
      await repo.putDataset('patched', 'patched-levels', dataset)
      const before = await read(path)
      expect(before.text).toContain(from)
      expect((await edit(path, (text) => text.replace(from, to))).status).toBe(204)
      const after = await read(path)
      expect(after.etag).not.toBe(before.etag)
      const about = (text: string) =>
        fromLines(text).filter(
          ({ predicate }: Quad) => !/modified$|checksumValue$/.test(predicate.value),
        )
      const { removed, added } = await difference(about(before.text), about(after.text))
      expect([...removed, ...added].map(({ object }) => `"${object.value}"`)).toEqual([from, to])
      // From then on a GET put back is unchanged.
      expect((await putBack(path)).status).toBe(304)
    })

  it('keeps the IRIs of the nodes that no line names', async () => {
    await repo.putDataset('patched', 'patched-levels', dataset)
    const nodes = async () =>
      (await repo.store.read('http://localhost:8080/set/data/patched-levels', {}))
        ?.split('\n')
        .filter((line) => line.includes('genid') && !/checksum|Inner/.test(line))
    const before = await nodes()
    await edit('/datasets/patched-levels', (text) => text.replace('"Inner"', '"Innermost"'))
    expect(await nodes()).toEqual(before)
  })

  it('names new distributions and new nodes', async () => {
    await repo.putDataset('patched', 'patched-levels', dataset)
    const iri = '<http://localhost:8080/set/data/patched-levels>'
    const more = `${iri} <http://www.w3.org/ns/dcat#distribution> _:new .
_:new <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Distribution> .
_:new <http://www.w3.org/ns/dcat#accessURL> <https://e.org/l.json> .
_:new <http://purl.org/dc/terms/license> _:text .
_:text <http://purl.org/dc/terms/title> "ours" .
`
    expect((await edit('/datasets/patched-levels', (text) => text + more)).status).toBe(204)
    const { text } = await read('/datasets/patched-levels')
    expect(
      text.match(/<http:\/\/localhost:8080\/set\/distribution\/\S+> <\S+accessURL>/g),
    ).toHaveLength(2)
    expect(text).toContain('"ours"')
    expect((await putBack('/datasets/patched-levels')).status).toBe(304)
  })

  it('is 304 when nothing changes, and then writes nothing', async () => {
    const { etag, text } = await read('/datasets/patched-levels')
    const [line = ''] = text.split('\n')
    const answer = await send('/datasets/patched-levels', `A ${line}\n`, { 'If-Match': etag })
    expect(answer.status).toBe(304)
    expect(await read('/datasets/patched-levels')).toEqual({ etag, text })
  })

  it('refuses what does not fit, and says the line', async () => {
    const { etag, text } = await read('/datasets/patched-levels')
    const [line = ''] = text.split('\n')
    const [path, absent] = [
      '/datasets/patched-levels',
      `D ${line}\nD <http://e/a> <http://e/b> "c" .\n`,
    ]
    expect((await send(path, `A ${line}\n`, {})).status).toBe(428)
    expect((await send(path, absent, { 'If-Match': '"old"' })).status).toBe(412)
    const refused = await send(path, absent, { 'If-Match': etag })
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({ errors: [{ line: 2 }] })
    expect((await send(path, 'A nonsense\n', { 'If-Match': etag })).status).toBe(400)
    expect((await send(path, ' ', { 'If-Match': etag })).status).toBe(400)
    const turtle = {
      method: 'PATCH',
      type: 'text/turtle',
      body: '.',
      headers: { 'If-Match': etag },
    }
    const other = await repo.ask(path, turtle)
    expect([other.status, other.headers.get('Accept-Patch')]).toEqual([
      415,
      'application/rdf-patch',
    ])
    expect((await send('/datasets/none', `A ${line}\n`, { 'If-Match': '*' })).status).toBe(404)
    expect((await send('/catalogues/none', `A ${line}\n`, { 'If-Match': '*' })).status).toBe(404)
    const removal = text.split('\n').filter((one) => one.includes('set/data/patched-levels> <'))
    const all = removal.map((one) => `D ${one}\n`).join('')
    expect((await send(path, all, { 'If-Match': etag })).status).toBe(422)
    expect(await read(path)).toEqual({ etag, text })
  })

  it('lets only one of two with the same tag through', async () => {
    const { etag } = await read('/datasets/patched-levels')
    const line = (word: string) =>
      `A <http://localhost:8080/set/data/patched-levels> <http://www.w3.org/ns/dcat#keyword> "${word}" .\n`
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((word) =>
        send('/datasets/patched-levels', line(word), { 'If-Match': etag }),
      ),
    )
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['204', '412', '412'])
  })
}

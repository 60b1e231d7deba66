/** A dataset with many distributions lets others have their turn while its document is made, which stays the same. */

import { describe, expect, it } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { documentBuilder } from '../../src/projector/building/document.ts'
import { names as namesOf } from '../../src/rdf/names.ts'
import { parse } from '../../src/rdf/parse.ts'
import { graphOf } from '../../src/rdf/read.ts'
import { concepts } from './built.ts'

const base = 'http://localhost:8080/'
const names = namesOf(base)

describe('the document of a dataset with many distributions', () => {
  it('is the same when its distributions were mapped beforehand, with a turn after each', async () => {
    const profile = await loadProfile(new URL('../../shapes/default', import.meta.url).pathname)
    const builder = documentBuilder({ profile, names, concepts })
    const iri = names.dataset('large')
    const files = Array.from(
      { length: 300 },
      (_, n) => `<${base}set/distribution/${n}> a dcat:Distribution ; dct:title "File ${n}"@en ;
        dct:issued "${n % 7 === 0 ? 'soon' : '2024-01-01'}" ; dcat:accessURL <https://example.org/${n}> .
        <${iri}> dcat:distribution <${base}set/distribution/${n}> .`,
    )
    const turtle = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
      <${iri}> a dcat:Dataset ; dct:title "Large"@en . ${files.join('\n')}`
    const graph = graphOf(await parse(turtle, 'turtle', { baseIri: base }))
    const input = { id: 'large', iri, version: 1, hash: '', graph }
    let turns = 0
    const turn = () => {
      turns += 1
      return undefined
    }
    const prepared = await builder.prepareDataset(input, turn)
    expect(turns).toBeGreaterThanOrEqual(300)
    const [whole, parts] = [builder.dataset(input), builder.dataset({ ...input, prepared })]
    expect(parts.document).toEqual(whole.document)
    expect(parts.reports).toHaveLength(whole.reports.length)
    expect(new Set(parts.reports.map((one) => JSON.stringify(one)))).toEqual(
      new Set(whole.reports.map((one) => JSON.stringify(one))),
    )
  })
})

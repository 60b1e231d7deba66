/** Lines of statements in Turtle. */

import { expect, test } from 'vitest'
import { parse } from '../../../src/rdf/parse.ts'
import { placedQuads } from '../../../src/rdf/reading/placed-quads.ts'

const text = `@prefix e: <https://e.example/> .
# a comment
e:a a e:C
  ; e:p [ e:q "one" ;
          e:r """two
lines""" ] , e:o
  ; e:list ( e:x
             e:y )
  .

<b> e:p "x"@en
, "1"^^e:t .
`

const linesOf = (predicate: string) =>
  placedQuads(text, 'https://base.example/')
    .filter(({ quad }) => quad.predicate.value.endsWith(predicate))
    .map(({ quad, line }) => `${line} ${quad.object.value}`)

test('a statement stands where its object does, not where the sign behind it does', () => {
  expect(linesOf('#type')).toEqual(['3 https://e.example/C'])
  expect(linesOf('/q')).toEqual(['4 one'])
  expect(linesOf('/p').slice(1)).toEqual(['6 https://e.example/o', '11 x', '12 1'])
  expect(linesOf('/list')).toEqual([expect.stringMatching(/^8 /)])
})

test('the statements are those of the parser', async () => {
  const baseIri = 'https://base.example/'
  const quads = await parse(text, 'turtle', { baseIri })
  const named = ({ subject }: { subject: { termType: string; value: string } }) =>
    subject.termType === 'NamedNode' ? subject.value : '[]'
  expect(placedQuads(text, baseIri).map(({ quad }) => named(quad))).toEqual(quads.map(named))
  expect(placedQuads('', baseIri)).toEqual([])
})

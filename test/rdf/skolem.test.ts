import * as fc from 'fast-check'
import { isomorphic } from 'rdf-isomorphic'
import { expect, test } from 'vitest'
import { canonicalise } from '../../src/rdf/canonical.ts'
import { fromLines, toLine, toLines } from '../../src/rdf/lines.ts'
import { skolemise, unskolemise, unskolemiseLines } from '../../src/rdf/skolem.ts'
import { blankNode, literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { graph } from './graphs.ts'

const prefix = 'http://localhost:8080/.well-known/genid/'
const genid = `${prefix}0123456789abcdef/`
const p = namedNode('http://e/p')

test('skolemising and turning back gives the same graph', async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (quads) => {
      const unique = [...new Map(quads.map((one) => [toLine(one), one])).values()]
      const { labels } = await canonicalise(unique)
      const ground = skolemise(unique, { genid, labels })
      const kinds = ground.flatMap(({ subject, object }) => [subject.termType, object.termType])
      expect(kinds).not.toContain('BlankNode')
      expect(isomorphic(unskolemise(ground, { prefix }), unique)).toBe(true)
    }),
  )
})

test('different skolem IRIs become different blank nodes, equal ones the same, over several calls', () => {
  const iris = ['a/b', 'a_b', 'a-b', 'a/b'].map((rest) => namedNode(prefix + rest))
  const nodes = iris.map((iri) => unskolemise([quad(iri, p, p)], { prefix })[0]?.subject)
  expect(new Set(nodes.map((node) => node?.value)).size).toBe(3)
  expect(nodes[0]?.equals(nodes[3])).toBe(true)
})

test('lines turn back as their triples do, and literals that look like nodes stay', () => {
  fc.assert(
    fc.property(graph, (quads) => {
      const more = quads.map((one) => quad(namedNode(`${genid}s-1`), one.predicate, one.object))
      const tricky = [`<${genid}x> .`, ` <${genid}x> .\n<${genid}x> `, `${genid}x`].map((text) =>
        quad(namedNode(`${genid}s`), p, literal(text, namedNode(`${genid}type`))),
      )
      const ground = [...more, ...tricky, quad(p, p, namedNode(`${genid}o_1`))]
      const whole = unskolemiseLines(toLines(ground), { prefix })
      expect(toLines(fromLines(whole))).toBe(toLines(unskolemise(ground, { prefix })))
    }),
  )
})

test('other IRIs, predicates and graphs stay', () => {
  const one = quad(p, namedNode(`${prefix}p`), p, namedNode(`${prefix}g`))
  expect(unskolemise([one], { prefix })).toEqual([one])
})

test('a node without a label is a mistake', () => {
  const one = quad(p, p, blankNode('x'))
  expect(() => skolemise([one], { genid, labels: new Map() })).toThrow('no canonical label')
})

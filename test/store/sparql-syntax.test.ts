/** What is wrong with a query is said with its place and with what stands there. */

import { expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { engineRefusal } from '../../src/store/public/query-checks.ts'
import { parseSparql } from '../../src/store/sparql-syntax.ts'

function faultOf(text: string): Failure {
  try {
    parseSparql(text)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error(`${text} is a query`)
}

it.each([
  ['SELECT * WHERE {\n ?s ?p }', 2, 8, '"}" is not expected here'],
  ['SELECT * {\r\n ?s ?p ?o }\r\n}', 3, 1, '"}" is not expected here'],
  ['SELECT * WHERE { ?s ?p ?o', 1, 26, 'the text ends too early'],
  ['SELEC * {}', 1, 1, '"SELEC" is not expected here'],
  ['ASK {\n ?s ?p ?o FILTER(foo(?s)) }', 2, 18, '"foo" is not expected here'],
  ['ASK {\n ?s ex:a ?o }', 2, 5, 'Unknown prefix: ex'],
  ['SELECT ?x (COUNT(?s) AS ?n)\n{ ?s ?p ?o }', 1, 8, 'Projection of ungrouped variable (?x)'],
  ['ASK {\n ?s ?p ?o BIND(1 AS ?o) }', 2, 8, 'Variable used to bind is already bound (?o)'],
  ['SELECT ?g {\n GRAPH ?g {?s ?p ?o} }\u000B LIMIT 1', 2, 23, 'U+000B (vertical tab)'],
  ['ASK\u00A0{ ?s ?p ?o }', 1, 4, 'U+00A0 (no-break space)'],
  ['ASK { ?s ?p\u2028 ?o }', 1, 12, 'U+2028 (line separator)'],
  ['ASK { ?s\u200B ?p ?o }', 1, 9, 'U+200B (zero width space)'],
  ['ASK { ?s ?p ?o }\uFEFF', 1, 17, 'U+FEFF (byte order mark)'],
  ['ASK { ?s ?p \u201Ca\u201D }', 1, 13, 'U+201C (curly quotation mark)'],
  ['ASK { ?s ?p \u201Ea\u201C }', 1, 13, 'U+201E (curly quotation mark)'],
  ['ASK { ?s ?p \u00ABa\u00BB }', 1, 13, 'U+00AB (quotation mark)'],
  ['ASK { ?s ?p ?o FILTER(?o > 2 \u2013 1) }', 1, 30, 'U+2013 (en dash)'],
  ['ASK { ?s ?p ?o FILTER(?o > \u2212 1) }', 1, 28, 'U+2212 (minus sign)'],
  ['ASK { ?s\u2060 ?p ?o }', 1, 9, 'U+2060 (word joiner)'],
  ['ASK { ?s\u200E ?p ?o }', 1, 9, 'U+200E (left-to-right mark)'],
  ['ASK { ?s\u0003 ?p ?o }', 1, 9, 'U+0003'],
])('%j', (text, line, column, detail) => {
  const { message, errors } = faultOf(text)
  expect(errors).toEqual([{ line, column, detail: expect.stringContaining(detail) }])
  expect(message).toContain(`line ${line}, column ${column}: ${detail}`)
})

it.each([
  'ASK { ?größe ?p "no\u00A0break" , \'curly \u201C\' } # \u00A0',
  'ASK { <http://a.example/\u00A0> ?p """a\u2028\u000B""" }',
  'ASK { ?s <urn:p\u200D> ex\u00E9:b } '.replace('ex\u00E9:b', '?\u{1F600}'),
])('%j is a query: such characters may stand in texts, comments, IRIs and names', (text) => {
  expect(parseSparql(text)).toMatchObject({ queryType: 'ASK' })
})

it.each([
  ['ASK { ?s ?p \u201Ea\u201C }', 'write " or \''],
  ['ASK { ?s ?p \u00ABa\u00BB }', 'write " or \''],
  ['ASK { ?s ?p ?o FILTER(?o > 2 \u2013 1) }', 'write -'],
  ['ASK { ?s ?p\u00A0?o }', 'delete it or write a plain space'],
  ['ASK { ?s ?p ?o \u2026 }', 'delete it'],
])('%j names the cure', (text, cure) => {
  expect(faultOf(text).message).toMatch(new RegExp(`may stand in texts only, ${cure}\\.$`))
})

it.each([
  [
    'Parse error: \nASK { ?s ?p ?o }\n\rLine 1, column 9: Unresolved prefix',
    'Line 1, column 9: Un',
  ],
  [
    'Virtuoso 37000 Error SP030: SPARQL compiler, line 3: syntax error\n\nSPARQL query:\nASK',
    'Virt',
  ],
  ['MALFORMED QUERY: no such function\r\n', 'MALFORMED QUERY: no such function'],
  ['', 'it gives no reason'],
  ['\n'.repeat(100_000), 'it gives no reason'],
])('the message %j of a store is said by its line with a place, or its first', (text, said) => {
  const { message } = engineRefusal('store', text)
  expect(message).toContain(`The store refused the query, which was rewritten for it: ${said}`)
})

it.each([
  [
    'error at 2:13: expected one of The SELECT overrides an existing variable using an expression, [_]',
    'The SELECT overrides an existing variable using an expression',
  ],
  ['error at 2:9: expected one of Duplicated variable name in SELECT, [_]', 'Duplicated variable'],
  ['error at 2:9: expected [_]', 'it has no meaning as a whole'],
  ['error at 1:25: expected IRI parsing failed', 'error at 1:25: expected IRI parsing failed'],
])('the message %j of the engine has no place beyond the text that was sent', (text, said) => {
  expect(engineRefusal('engine', text).message).toContain(`The engine refused the query: ${said}`)
})

/** The engine beside the package as it is: the same results of everything that SHACL Core knows, and bounds of its own. */

import type { Quad } from '@rdfjs/types'
import Validator from 'rdf-validate-shacl'
import environment from 'rdf-validate-shacl/src/defaultEnv.js'
import { describe, expect, it } from 'vitest'
import { compileShapes } from '../../../src/metrics/validate/shacl-engine.ts'
import { termText, toLine } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import type { ReportResult } from '../../../src/metrics/measure/validation-report.ts'

const prefixes = `
  @prefix : <https://example.org/> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix sh: <http://www.w3.org/ns/shacl#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .`
const turtle = (text: string) => parse(`${prefixes}\n${text}`, 'turtle', { baseIri: '' })

const shapes = `
:Thing a sh:NodeShape ; sh:targetClass :Thing ; sh:closed true ; sh:ignoredProperties ( <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ) ;
  sh:property [ sh:path :code ; sh:in ( "a" "b" "c" "d" ) ; sh:message "one of the codes"@en , "einer der Codes"@de ] ,
    [ sh:path :name ; sh:uniqueLang true ; sh:languageIn ( "en" "de" ) ; sh:minLength 2 ; sh:maxLength 5 ] ,
    [ sh:path :from ; sh:lessThan :until ] ,
    [ sh:path :until ; sh:lessThanOrEquals :limit ; sh:minInclusive 1 ; sh:maxInclusive 9 ; sh:minExclusive 0 ; sh:maxExclusive 10 ] ,
    [ sh:path :same ; sh:equals :other ] ,
    [ sh:path :unlike ; sh:disjoint :other ] ,
    [ sh:path ( :part :name ) ; sh:minCount 1 ] ,
    [ sh:path [ sh:alternativePath ( :code :name ) ] ; sh:maxCount 2 ] ,
    [ sh:path [ sh:zeroOrMorePath :part ] ; sh:class :Thing ] ,
    [ sh:path [ sh:oneOrMorePath :part ] ; sh:nodeKind sh:IRI ] ,
    [ sh:path [ sh:zeroOrOnePath :part ] ; sh:nodeKind sh:IRI ] ,
    [ sh:path [ sh:inversePath :part ] ; sh:maxCount 0 ; sh:severity sh:Info ] ,
    [ sh:path :part ; sh:qualifiedValueShape [ sh:class :Special ] ; sh:qualifiedMinCount 1 ; sh:qualifiedMaxCount 1 ] ,
    [ sh:path :choice ; sh:or ( [ sh:datatype xsd:integer ] [ sh:nodeKind sh:IRI ] ) ; sh:severity :Grave ] ,
    [ sh:path :choice ; sh:xone ( [ sh:datatype xsd:integer ] [ sh:minLength 3 ] ) ; sh:severity sh:Warning ] ,
    [ sh:path :choice ; sh:and ( [ sh:minLength 1 ] [ sh:pattern "^[a-z0-9]+$" ; sh:flags "i" ] ) ] ,
    [ sh:path :choice ; sh:not [ sh:hasValue "no" ] ] .
:Special a sh:NodeShape , rdfs:Class ; sh:property :nested .
:nested sh:path :part ; sh:node [ sh:property [ sh:path :code ; sh:minCount 1 ] ] .
:Linked a sh:NodeShape ; sh:targetObjectsOf :part ; sh:class :Thing .
:Linking a sh:NodeShape ; sh:targetSubjectsOf :part ; sh:nodeKind sh:BlankNode .
:One a sh:NodeShape ; sh:targetNode :t9 ; sh:property [ sh:path :code ; sh:minCount 1 ] .
:Off a sh:NodeShape ; sh:targetClass :Thing ; sh:deactivated true ; sh:nodeKind sh:Literal .
`

const record = `
:Sub rdfs:subClassOf :Thing .
:t1 a :Thing ; :code "a" , "z" ; :name "x"@en , "long enough"@en , "gut"@de , "bon"@fr ; :from 5 ; :until 3 , 12 ; :limit 8 ;
  :same 1 , 2 ; :other 2 , 3 ; :unlike 3 , 4 ; :part :t2 , :t3 , [ a :Thing ] ; :choice 5 , "no" , "ab" , "x y" , :t1 .
:t2 a :Sub ; :part :t1 ; :extra "not allowed" .
:t3 a :Special ; :part :t4 , :t1 ; :name "Ann" .
:t4 :code "d" .
`

const sorted = (lines: readonly string[]) => lines.toSorted()

const line = (result: ReportResult) =>
  [
    result.focusNode && termText(result.focusNode),
    result.path && ('termType' in result.path ? termText(result.path) : 'path'),
    result.value && termText(result.value),
    result.severity,
    result.component,
    ...sorted(result.messages.map(termText)),
  ].join(' ')

async function theirs(shapes: readonly Quad[], data: readonly Quad[]): Promise<readonly string[]> {
  const validator = new Validator(environment['dataset']([...shapes]))
  const { results } = await validator.validate(environment['dataset']([...data]))
  const named = ({ termType }: { readonly termType: string }) => termType !== 'BlankNode'
  const severities = ['Violation', 'Warning']
  return sorted(
    results.map((r) =>
      [
        r.focusNode && termText(r.focusNode),
        r.path && (named(r.path) ? termText(r.path) : 'path'),
        r.value && termText(r.value),
        severities.find((name) => r.severity?.value.endsWith(`#${name}`)) ?? 'Info',
        r.sourceConstraintComponent?.value,
        ...sorted(r.message.map((message) => termText(message as never))),
      ].join(' '),
    ),
  )
}

describe('the engine', () => {
  it('tells the same as the package of all that SHACL Core knows', async () => {
    const [own, data] = [await turtle(shapes), await turtle(record)]
    const expected = await theirs(own, data)
    const { results, truncated } = compileShapes(own, 1000).validate(data)
    expect(sorted(results.map(line))).toEqual(expected)
    expect(expected.length).toBeGreaterThan(30)
    expect(truncated).toBe(false)
  })

  it('tells a path that is more than a property by its triples, root first', async () => {
    const own = await turtle(
      ':S a sh:NodeShape ; sh:targetNode :t ; sh:property [ sh:path ( :a [ sh:inversePath :b ] ) ; sh:minCount 1 ] .',
    )
    const [result] = compileShapes(own, 10).validate([]).results
    const path = result?.path as readonly Quad[]
    expect(path.map(toLine).join('\n')).toContain('inversePath')
    const property = own.find(({ predicate }) => predicate.value.endsWith('#path'))
    expect(path[0]?.subject.value).toBe(property?.object.value)
  })

  it('begins anew with every record', async () => {
    const [own, data] = [await turtle(shapes), await turtle(record)]
    const engine = compileShapes(own, 1000)
    const first = engine.validate(data).results.map(line)
    expect(engine.validate([]).results).toHaveLength(1)
    expect(engine.validate(data).results.map(line)).toEqual(first)
  })

  it('looks at a value as often as it stands in a record, and finds it wrong each time', async () => {
    const own = await turtle(
      ':S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; sh:node [ sh:datatype xsd:date ] ] .',
    )
    const many = Array.from({ length: 200 }, (_, n) => `:n${n} a :T ; :p "same" .`).join('\n')
    expect(compileShapes(own, 1000).validate(await turtle(many)).results).toHaveLength(200)
  })

  it('keeps violations before warnings, so many as it may, and says that there were more', async () => {
    const own = await turtle(`
      :A a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:severity sh:Warning ] .
      :B a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :q ; sh:maxCount 0 ] .`)
    const many = Array.from({ length: 60 }, (_, n) => `:n${n} a :T${n < 5 ? ' ; :q 1' : ''} .`)
    const { results, truncated } = compileShapes(own, 20).validate(await turtle(many.join('\n')))
    expect(truncated).toBe(true)
    expect(results.map(({ severity }) => severity)).toEqual([
      ...Array<string>(5).fill('Violation'),
      ...Array<string>(15).fill('Warning'),
    ])
    const exact = compileShapes(own, 65).validate(await turtle(many.join('\n')))
    expect([exact.results.length, exact.truncated]).toEqual([65, false])
  })

  it('ends when as many violations are found, without looking at the rest', async () => {
    const own = await turtle(
      ':S a sh:NodeShape ; sh:targetNode :t ; sh:property [ sh:path :p ; sh:nodeKind sh:IRI ] .',
    )
    const many = await turtle(
      `:t :p ${Array.from({ length: 5000 }, (_, n) => `"${n}"`).join(',')} .`,
    )
    const { results, truncated } = compileShapes(own, 1000).validate(many)
    expect([results.length, truncated]).toEqual([1000, true])
  })

  it.each([
    [
      'a path that is none',
      ':S sh:targetNode :t ; sh:property [ sh:path "text" ; sh:minCount 1 ] .',
    ],
    [
      'a list that runs in a circle',
      ':S sh:targetNode :t ; sh:property [ sh:path _:l ; sh:minCount 1 ] . _:l <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> :a ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:l .',
    ],
  ])('refuses shapes with %s', async (_, text) => {
    const own = await turtle(text)
    expect(() => compileShapes(own, 10)).toThrow(Error)
  })
})

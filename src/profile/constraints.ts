/**
 * Facts that shapes state about the properties of a class: how many values, of what kind, from which vocabulary, and in which
 * words a form asks for them. Read from the shapes of the profile and from those of DCAT-AP that come with the platform.
 */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Literal, Term } from '@rdfjs/types'
import { localName } from '../rdf/iri.ts'
import { rdf, rdfs, sh, skos } from '../rdf/namespaces.ts'
import { parse } from '../rdf/parse.ts'
import { firstObject, type Graph, graphOf, instances } from '../rdf/read.ts'
import { listMembers, predicatesOf } from './profile-shapes.ts'

/** Language → text; texts without language have the key `''`. */
export type Texts = Readonly<Record<string, string>>

/** Group of fields (`sh:PropertyGroup`): a section of a form. */
export type Group = { readonly id: string; readonly label: Texts; readonly order: number }

/** Bounds that a value must keep (W3C SHACL 4.3, 4.4) and the sentence that says so. */
const bounds = [
  'minLength',
  'maxLength',
  'minInclusive',
  'maxInclusive',
  'minExclusive',
  'maxExclusive',
] as const

/** Statements of shapes about one property; later shapes add to what earlier ones say. */
export type PropertyFacts = {
  readonly paths: readonly string[]
  /** `mappingName` where the property is a field of documents. */
  readonly name?: string
  /** `sh:minCount` of at least 1, by the severity of its shape. */
  readonly need?: 'required' | 'recommended'
  readonly single?: true
  readonly isDeactivated?: true
  readonly editor?: string
  readonly datatypes?: readonly string[]
  readonly nodeKind?: string
  readonly classes?: readonly string[]
  readonly pattern?: string
  readonly bounds?: Readonly<Partial<Record<(typeof bounds)[number], number>>>
  readonly message?: Texts
  readonly in?: readonly Term[]
  /** IRI of the scheme of its concepts. */
  readonly vocabulary?: string
  readonly languages?: readonly string[]
  readonly uniqueLang?: true
  readonly defaultValue?: Term
  readonly label?: Texts
  readonly help?: Texts
  readonly group?: Group
  readonly order?: number
  /** `m:eachOf`: predicate to nested resources whose field of this path takes the value where they have none. */
  readonly eachOf?: string
  /** `m:copyOf`: predicate whose value this one has as well, where people say so. */
  readonly copyOf?: string
}

/** Facts of a node shape. */
export type ShapeFacts = {
  readonly iri: string
  readonly classes: readonly string[]
  readonly properties: readonly PropertyFacts[]
}

const textsOf = (terms: readonly Term[]): Texts | undefined => {
  const literals = terms.filter((term): term is Literal => term.termType === 'Literal')
  return literals.length > 0
    ? Object.fromEntries(literals.map(({ language, value }) => [language, value.trim()]))
    : undefined
}

/** Object without the keys whose value is `undefined`. */
const defined = <T extends object>(value: T) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the keys
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>
  }

function groupOf(graph: Graph, node: Term | undefined): Group | undefined {
  if (!node) return undefined
  const order = Number(firstObject(graph, node, sh('order'))?.value ?? 0)
  return {
    id: localName(node.value),
    label: textsOf(graph.objects(node, rdfs('label'))) ?? {},
    order,
  }
}

/** IRI of a scheme that `[ sh:path skos:inScheme ; sh:hasValue … ]` of a shape demands. */
const schemeOf = (graph: Graph, shape: Term): string | undefined =>
  graph
    .objects(shape, sh('property'))
    .filter((part) => firstObject(graph, part, sh('path'))?.equals(skos('inScheme')))
    .flatMap((part) => graph.objects(part, sh('hasValue')))[0]?.value

/** Constraints of a shape on each value, with those of the shapes that `sh:node` and `sh:or` name. */
function valueFacts(graph: Graph, node: Term, depth = 0): Omit<PropertyFacts, 'paths'> {
  const all = (name: string) => graph.objects(node, sh(name))
  const numbers = bounds.flatMap((name) => {
    const value = all(name)[0]
    return value && Number.isFinite(Number(value.value))
      ? [[name, Number(value.value)] as const]
      : []
  })
  const listed = (name: string) => all(name).flatMap((list) => listMembers(graph, list) ?? [])
  const own: Omit<PropertyFacts, 'paths'> = defined({
    datatypes: iris(all('datatype')),
    nodeKind: all('nodeKind')[0] && localName(all('nodeKind')[0]?.value ?? ''),
    classes: iris(all('class')),
    pattern: all('pattern')[0]?.value,
    bounds: numbers.length > 0 ? Object.fromEntries(numbers) : undefined,
    in: nonEmpty([...listed('in'), ...all('hasValue')]),
    vocabulary: schemeOf(graph, node),
    languages: nonEmpty(listed('languageIn').map(({ value }) => value)),
  })
  if (depth > 2) return own
  const others = [...all('node'), ...listed('or')].map((other) =>
    valueFacts(graph, other, depth + 1),
  )
  return others.reduce(mergeFacts, own)
}

const nonEmpty = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined)
const iris = (terms: readonly Term[]) => nonEmpty(terms.map(({ value }) => value))

/** Facts of one property shape; `undefined` for a path that is no predicate. */
function propertyFacts(graph: Graph, node: Term): PropertyFacts | undefined {
  const paths = predicatesOf(graph, node)
  if (!paths?.length) return undefined
  const one = (name: string) => firstObject(graph, node, sh(name))
  const annotation = (name: string) =>
    [...graph.about(node)].find(([predicate]) => localName(predicate) === name)?.[1][0]
  const isStrict = localName(one('severity')?.value ?? 'Violation') === 'Violation'
  const isTrue = (name: string) => (one(name)?.value === 'true' ? (true as const) : undefined)
  return {
    paths,
    ...valueFacts(graph, node),
    ...defined({
      name: annotation('mappingName')?.value.trim(),
      need:
        Number(one('minCount')?.value ?? 0) < 1
          ? undefined
          : isStrict
            ? ('required' as const)
            : ('recommended' as const),
      single: Number(one('maxCount')?.value) === 1 ? (true as const) : undefined,
      isDeactivated: isTrue('deactivated'),
      uniqueLang: isTrue('uniqueLang'),
      editor: annotation('editor') && localName(annotation('editor')?.value ?? ''),
      eachOf: annotation('eachOf')?.value,
      copyOf: annotation('copyOf')?.value,
      ...(annotation('vocabulary') && { vocabulary: annotation('vocabulary')?.value }),
      defaultValue: one('defaultValue'),
      message: textsOf(graph.objects(node, sh('message'))),
      label: textsOf(graph.objects(node, sh('name'))),
      help: textsOf(graph.objects(node, sh('description'))),
      group: groupOf(graph, one('group')),
      order: one('order') && Number(one('order')?.value),
    }),
  }
}

/** Facts of two shapes about one property: the first decides, the second fills in; a requirement of either counts. */
export const mergeFacts = <First extends Partial<PropertyFacts>>(
  first: First,
  second: Partial<PropertyFacts>,
): First => ({
  ...second,
  ...first,
  ...defined({
    need:
      first.need === 'required' || second.need === 'required'
        ? 'required'
        : (first.need ?? second.need),
    datatypes: nonEmpty([...new Set([...(first.datatypes ?? []), ...(second.datatypes ?? [])])]),
    classes: nonEmpty([...new Set([...(first.classes ?? []), ...(second.classes ?? [])])]),
  }),
})

/** Facts of the node shapes of a Turtle text. */
export async function shapeFacts(turtle: string): Promise<readonly ShapeFacts[]> {
  const graph = graphOf(await parse(turtle, 'turtle', { baseIri: 'urn:cartulary:profile:' }))
  return instances(graph, sh('NodeShape')).map((iri) => ({
    iri,
    classes: [
      ...graph.objects(iri, sh('targetClass')).map(({ value }) => value),
      // A class that is its own shape (W3C SHACL 2.1.3.3).
      ...(graph.objects(iri, rdf('type')).some((type) => type.equals(rdfs('Class'))) ? [iri] : []),
    ],
    properties: graph
      .objects(iri, sh('property'))
      .flatMap((property) => propertyFacts(graph, property) ?? []),
  }))
}

const files = ['base', 'recommended', 'vocabularies']

/** Facts of the shapes of DCAT-AP 3.0.1 that come with the platform, base shapes first. */
export async function shippedFacts(): Promise<readonly ShapeFacts[]> {
  const texts = files.map((name) =>
    readFile(
      fileURLToPath(new URL(`../../shapes/dcat-ap/3.0.1/${name}.ttl`, import.meta.url)),
      'utf8',
    ),
  )
  return (await Promise.all((await Promise.all(texts)).map(shapeFacts))).flat()
}

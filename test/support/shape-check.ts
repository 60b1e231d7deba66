/** The counts, kinds and datatypes that SHACL shapes ask for: enough for the base shapes of DCAT-AP. */

import { readFileSync } from 'node:fs'
import type { Quad, Term } from '@rdfjs/types'
import { prefixes } from '../../src/rdf/namespaces.ts'
import { parse } from '../../src/rdf/parse.ts'
import { graphOf, keyOf, type Graph, type Node } from '../../src/rdf/read.ts'

const sh = (name: string) => `${prefixes['sh']}${name}`
const rdf = (name: string) => `${prefixes['rdf']}${name}`

/** What each focus node of the data breaks, as `dcat:Dataset dct:title: minCount 1`; sorted. */
export type ShapeCheck = (quads: readonly Quad[]) => string[]

export async function shapeCheck(file: URL): Promise<ShapeCheck> {
  const shapes = graphOf(
    await parse(readFileSync(file, 'utf8'), 'turtle', { baseIri: 'urn:shapes:' }),
  )
  return (quads) => {
    const data = graphOf(quads)
    return [...shapes.subjects()]
      .flatMap((shape) =>
        shapes
          .objects(shape, sh('targetClass'))
          .flatMap((type) => violationsOf({ shapes, data }, shape, type)),
      )
      .sort()
  }
}

type Graphs = { readonly shapes: Graph; readonly data: Graph }

function violationsOf({ shapes, data }: Graphs, shape: Node, type: Term): string[] {
  return data.subjectsOf(rdf('type'), type).flatMap((focus) =>
    shapes.objects(shape, sh('property')).flatMap((property) => {
      const [path] = shapes.objects(property, sh('path'))
      if (path?.termType !== 'NamedNode') return []
      const values = data.objects(focus, path.value)
      const broken = brokenBy(shapes, property, values)
      return broken.map((rule) => `${short(type.value)} ${short(path.value)}: ${rule}`)
    }),
  )
}

function brokenBy(shapes: Graph, property: Node, values: readonly Term[]): string[] {
  const one = (name: string) => shapes.objects(property, sh(name))[0]?.value
  const [least, most] = [Number(one('minCount') ?? 0), Number(one('maxCount') ?? Infinity)]
  const kind = one('nodeKind')
  const datatypes = datatypesOf(shapes, property)
  return [
    ...(values.length < least ? [`minCount ${least}`] : []),
    ...(values.length > most ? [`maxCount ${most}`] : []),
    ...(kind !== undefined && !values.every((value) => isOf(value, kind)) ? [short(kind)] : []),
    ...(datatypes.length > 0 && !values.every((value) => hasOne(value, datatypes))
      ? [`datatype ${datatypes.map(short).join(' or ')}`]
      : []),
  ]
}

/** The datatype itself, or the alternatives of a shape that the values must have. */
function datatypesOf(shapes: Graph, property: Node): string[] {
  const own = shapes.objects(property, sh('datatype')).map(({ value }) => value)
  const others = ['node', 'shape'].flatMap((name) => shapes.objects(property, sh(name)))
  return [
    ...own,
    ...others.flatMap((other) =>
      shapes.objects(other, sh('or')).flatMap((list) => listed(shapes, list)),
    ),
  ]
}

function listed(shapes: Graph, list: Term): string[] {
  const [first] = shapes.objects(list, rdf('first'))
  const [rest] = shapes.objects(list, rdf('rest'))
  if (!first) return []
  const here = shapes.objects(first, sh('datatype')).map(({ value }) => value)
  return rest ? [...here, ...listed(shapes, rest)] : here
}

const kinds: Readonly<Record<Term['termType'], string>> = {
  NamedNode: 'IRI',
  BlankNode: 'BlankNode',
  Literal: 'Literal',
  Variable: '',
  DefaultGraph: '',
  Quad: '',
}

const isOf = ({ termType }: Term, kind: string) => kind.includes(kinds[termType])

const hasOne = (value: Term, datatypes: readonly string[]) =>
  value.termType === 'Literal' && datatypes.includes(value.datatype.value)

function short(iri: string): string {
  const found = Object.entries(prefixes).find(([, namespace]) => iri.startsWith(namespace))
  return found ? `${found[0]}:${iri.slice(found[1].length)}` : keyOf(iri)
}

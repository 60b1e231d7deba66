/** Reads RDF that is checked: syntax errors, its datasets in the form of search hits, and the lines of validation results. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { formatOfText, formats } from '../../rdf/media-types.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { placedQuads, type PlacedQuad } from '../../rdf/reading/placed-quads.ts'
import type { Fields } from '../../text/json.ts'
import { type ShaclResult, shaclResults } from '../parts/findings.ts'

const base = 'https://example.org/'

/** Syntax error of a text with line and column from 1, or its media type and its datasets as records. */
export type CheckedText =
  | {
      readonly fault: { readonly detail: string; readonly line?: number; readonly column?: number }
    }
  | { readonly mediaType: string; readonly records: readonly Fields[] }

/** At most 500 validation results with their lines, errors first; `errors` and `warnings` count all of them. */
export type LocatedResults = {
  readonly results: readonly ShaclResult[]
  readonly errors: number
  readonly warnings: number
}

/** Most records of a text, most distributions and texts of a record, and most results. */
const [mostRecords, mostParts, mostResults] = [5, 100, 500]

const formatOf = (text: string) => formatOfText(text.slice(0, 1000)) ?? 'turtle'

/** Reads a text, and makes records in the form of search hits of its first five datasets. Rejects only for internal errors. */
export async function readCheckedText(text: string): Promise<CheckedText> {
  const format = formatOf(text)
  try {
    const quads = await parse(text, format, { baseIri: base })
    const isDataset = ({ predicate, object }: Quad) =>
      predicate.equals(rdf('type')) && object.equals(dcat('Dataset'))
    const bySubject = Map.groupBy(quads, ({ subject }) => subject.value)
    const records = quads
      .filter(isDataset)
      .slice(0, mostRecords)
      .map(({ subject }) => recordOf(bySubject, subject))
    return { mediaType: formats[format].mediaType, records }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { line, column, detail = error.detail } = error.errors[0] ?? {}
    const position = { line, column }
    return { fault: { detail, ...position } }
  }
}

/** Finds the lines of the results of a report (N-Triples) in a text; only Turtle and N-Triples have lines. */
export async function locateResults({
  text,
  report,
}: {
  readonly text: string
  readonly report: string
}): Promise<LocatedResults> {
  const placedQuadList = /^(?:turtle|ntriples)$/.test(formatOf(text)) ? placedQuads(text, base) : []
  const results = await shaclResults(report, linesIn(placedQuadList))
  const errors = results.filter(({ isError }) => isError).length
  return { results: results.slice(0, mostResults), errors, warnings: results.length - errors }
}

/** Makes the function that finds the line of a result: that of its value, else of its path, else of its focus node. */
function linesIn(placed: readonly PlacedQuad[]): (result: ShaclResult) => number | undefined {
  const bySubject = Map.groupBy(placed, ({ quad }) => quad.subject.value)
  const byPath = Map.groupBy(placed, ({ quad }) => `${quad.subject.value} ${quad.predicate.value}`)
  return ({ focus, path, value }) => {
    const withPath = byPath.get(`${focus} ${path}`) ?? []
    const exact = withPath.find(({ quad }) => quad.object.value === value)
    return (exact ?? withPath[0] ?? bySubject.get(focus)?.[0])?.line
  }
}

/** Record with the fields that `searchHit` shows, made of a dataset that is not published. */
function recordOf(bySubject: ReadonlyMap<string, readonly Quad[]>, subject: Term): Fields {
  const valuesOf = (node: Term, predicate: Term) =>
    (bySubject.get(node.value) ?? []).flatMap((quad) =>
      quad.predicate.equals(predicate) ? quad.object : [],
    )
  const languageOf = (term: Term) => ('language' in term && term.language) || 'en'
  const texts = (predicate: Term) =>
    Object.fromEntries(
      valuesOf(subject, predicate)
        .slice(0, mostParts)
        .map((term) => [languageOf(term), term.value.slice(0, 10_000)]),
    )
  const lastSegment = (term: Term | undefined) => term?.value.split('/').at(-1)
  return {
    title: texts(dct('title')),
    description: texts(dct('description')),
    identifier: [subject.value],
    modified: valuesOf(subject, dct('modified'))[0]?.value,
    distributions: valuesOf(subject, dcat('distribution'))
      .slice(0, mostParts)
      .map((node) => {
        const [[format], [licence]] = [
          valuesOf(node, dct('format')),
          valuesOf(node, dct('license')),
        ]
        const iri = licence?.value
        return {
          format: { id: lastSegment(format) },
          license: { id: lastSegment(licence), label: iri, resource: iri },
        }
      }),
  }
}

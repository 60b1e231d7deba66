/** Worker entry for scripts: takes a record, returns N-Triples. */

import { workerData } from 'node:worker_threads'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { toLines } from '../../rdf/lines.ts'
import { dcat, rdf, xsd } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { emit, serve } from '../../workers/serve.ts'
import { type InputRecord, isForeignJson, quadsOf } from './record-quads.ts'
import { openSandbox, type ScriptSettings } from './script-sandbox.ts'

/** Calls of the worker. */
export type ScriptCalls = {
  /** Checks whether the script can be evaluated and defines `transforming`. */
  check: [nothing: undefined, nothing: void]
  /** Returns the transformed record as N-Triples. */
  transform: [record: InputRecord, lines: string]
}

const settings: ScriptSettings = workerData.data
const sandbox = await openSandbox(settings, () => performance.now())

/** Input of a script: the source's JSON, or RDF as expanded JSON-LD. Throws `transform-failed`. */
async function inputOf(incoming: InputRecord): Promise<string> {
  const { recordBytes } = settings.limits
  const input = isForeignJson(incoming)
    ? incoming.text
    : JSON.stringify(expandQuads(await quadsOf(incoming)))
  if (Buffer.byteLength(input) <= recordBytes) return input
  throw new Failure('transform-failed', `the record has more than ${recordBytes} bytes`)
}

/** Converts the output of a script to N-Triples; remote contexts are not fetched. Throws `transform-failed`. */
async function linesOf(output: string, baseIri: string): Promise<string> {
  try {
    return toLines(await parse(output, 'jsonld', { baseIri }))
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    const detail = `the script did not return valid JSON-LD: ${cause.detail}`
    throw new Failure('transform-failed', detail, { cause })
  }
}

/** Transforms a record. Throws a `transform-…` failure for errors of script or record. */
async function transformRecord(incoming: InputRecord): Promise<string> {
  const output = sandbox.run(await inputOf(incoming))
  const text = await linesOf(output, incoming.baseIri)
  if (text !== '') return text
  throw new Failure('transform-empty', 'the JSON-LD of the script contains no triples')
}

serve<ScriptCalls>({
  check: () => {
    try {
      sandbox.check()
    } finally {
      // Console lines of the check are repeated by the first record.
      sandbox.lines()
    }
  },
  transform: async (record, { retire }) => {
    try {
      return await transformRecord(record)
    } finally {
      for (const line of sandbox.lines()) emit(line)
      if (sandbox.isSpent()) retire()
    }
  },
})

// Expanded JSON-LD (JSON-LD 1.1, 9): one node object per subject, not nested.

type Value =
  | { readonly '@id': string }
  | { readonly '@value': string; readonly '@language'?: string; readonly '@type'?: string }
type Node = Record<string, string | string[] | Value[]>

const typePredicate = rdf('type').value
const stringType = xsd('string').value
const datasetType = dcat('Dataset').value

/** Node objects: datasets first, then the others, each in the order of their first triple. Graph names are dropped. */
export function expandQuads(quads: Iterable<Quad>): Node[] {
  const nodes = new Map<string, Node>()
  for (const { subject, predicate, object } of quads) {
    const id = nameOf(subject)
    const node = nodes.get(id) ?? { '@id': id }
    nodes.set(id, node)
    if (predicate.value === typePredicate && object.termType !== 'Literal') {
      addValue(node, '@type', nameOf(object))
    } else addValue(node, predicate.value, valueOf(object))
  }
  const isDataset = (node: Node) =>
    [node['@type'] ?? []].flat().some((name) => name === datasetType)
  const allNodes = [...nodes.values()]
  return [...allNodes.filter(isDataset), ...allNodes.filter((node) => !isDataset(node))]
}

function addValue(node: Node, key: string, value: string | Value): void {
  // `__proto__` is a key like any other.
  const present = Object.hasOwn(node, key) ? node[key] : undefined
  const list = Array.isArray(present) ? [...present, value] : [value]
  Object.defineProperty(node, key, { value: list, enumerable: true, configurable: true })
}

const nameOf = (term: Term) => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value)

/** Value object or reference (JSON-LD 1.1, 9.5); `xsd:string` is omitted. */
function valueOf(term: Term): Value {
  if (term.termType !== 'Literal') return { '@id': nameOf(term) }
  const { value, language, datatype } = term
  if (language !== '') return { '@value': value, '@language': language }
  return datatype.value === stringType
    ? { '@value': value }
    : { '@value': value, '@type': datatype.value }
}

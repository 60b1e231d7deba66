/** Entry of the worker of a script: a record in, N-Triples out, and nothing in between that could reach us. */

import { workerData } from 'node:worker_threads'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { toLines } from '../../rdf/lines.ts'
import { dcat, rdf, xsd } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { emit, serve } from '../../workers/serve.ts'
import { type InputRecord, isForeignJson, quadsOf } from './record-quads.ts'
import { openSandbox, type ScriptSettings } from './script-sandbox.ts'

export type ScriptCalls = {
  /** Whether the script can be run at all. */
  check: [nothing: undefined, nothing: void]
  /** The record as N-Triples. */
  transform: [record: InputRecord, lines: string]
}

const settings: ScriptSettings = workerData.data
const sandbox = await openSandbox(settings, () => performance.now())

/** Input of a script: the source's own JSON, or RDF as expanded JSON-LD. Throws `transform-failed`. */
async function inputOf(incoming: InputRecord): Promise<string> {
  const { recordBytes } = settings.limits
  const input = isForeignJson(incoming)
    ? incoming.text
    : JSON.stringify(expandQuads(await quadsOf(incoming)))
  if (Buffer.byteLength(input) <= recordBytes) return input
  throw new Failure('transform-failed', `the record has more than ${recordBytes} bytes`)
}

/** Output of a script as N-Triples; contexts are inline or bundled, never fetched. Throws `transform-failed`. */
async function linesOf(output: string, baseIri: string): Promise<string> {
  try {
    return toLines(await parse(output, 'jsonld', { baseIri }))
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    const detail = `the script did not return valid JSON-LD: ${cause.detail}`
    throw new Failure('transform-failed', detail, { cause })
  }
}

/** Throws `Failure` of a `transform-…` kind for whatever is the fault of script or record. */
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
      // What is said while the script is only tried is said again.
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

// Quads as expanded JSON-LD (JSON-LD 1.1, 9): one node object per subject, nothing nested, nothing shortened.

type Value =
  | { readonly '@id': string }
  | { readonly '@value': string; readonly '@language'?: string; readonly '@type'?: string }
type Node = Record<string, string | string[] | Value[]>

const type = rdf('type').value
const text = xsd('string').value
const dataset = dcat('Dataset').value

/** Datasets come first, then the others in the order of their first triple. Graph names are left out. */
export function expandQuads(quads: Iterable<Quad>): Node[] {
  const nodes = new Map<string, Node>()
  for (const { subject, predicate, object } of quads) {
    const id = nameOf(subject)
    const node = nodes.get(id) ?? { '@id': id }
    nodes.set(id, node)
    if (predicate.value === type && object.termType !== 'Literal') {
      put(node, '@type', nameOf(object))
    } else put(node, predicate.value, valueOf(object))
  }
  const isDataset = (node: Node) => [node['@type'] ?? []].flat().some((name) => name === dataset)
  const all = [...nodes.values()]
  return [...all.filter(isDataset), ...all.filter((node) => !isDataset(node))]
}

function put(node: Node, key: string, value: string | Value): void {
  // A predicate that JSON would take for something else is a key like every other.
  const old = Object.hasOwn(node, key) ? node[key] : undefined
  const list = Array.isArray(old) ? [...old, value] : [value]
  Object.defineProperty(node, key, { value: list, enumerable: true, configurable: true })
}

const nameOf = (term: Term) => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value)

/** A value object or a reference (JSON-LD 1.1, 9.5); `xsd:string` is left out. */
function valueOf(term: Term): Value {
  if (term.termType !== 'Literal') return { '@id': nameOf(term) }
  const { value, language, datatype } = term
  if (language !== '') return { '@value': value, '@language': language }
  return datatype.value === text
    ? { '@value': value }
    : { '@value': value, '@type': datatype.value }
}

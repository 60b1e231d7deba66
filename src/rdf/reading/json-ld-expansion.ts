/** JSON-LD expansion by jsonld, with contexts in the document or bundled with the product only. */

import { readFileSync } from 'node:fs'
import type jsonld from 'jsonld'
import { Failure, jsonPointer } from '../../errors.ts'
import { nextTurn } from '../../workers/event-loop.ts'
import { isJsonLdObject, type JsonLdValue } from './json-tree.ts'
import { malformed, type ParseOptions } from './options.ts'

const contexts = new URL('../../../shapes/contexts/', import.meta.url)

/** Bundled contexts of catalogues, under all their addresses. */
const bundledContexts = [
  {
    file: 'dcat-us-1.1.jsonld',
    address:
      /^https?:\/\/(?:(?:www\.)?project-open-data\.cio\.gov\/|(?:www\.)?resources\.data\.gov\/(?:schemas\/dcat-us\/)?)v1\.1\/schema\/catalog\.jsonld$/,
  },
  {
    file: 'dcat-us-3.jsonld',
    address: /^https?:\/\/\S*\/dcat-us[-_]3(?:\.0)?(?:\.jsonld|\.json)?$/,
  },
]

async function expand(tree: JsonLdValue, base: string): Promise<JsonLdValue> {
  let remote = ''
  const documentLoader = async (url: string) => {
    const file = bundledContexts.find(({ address }) => address.test(url))?.file
    if (file === undefined) {
      remote = url
      throw new Error('not bundled')
    }
    return { documentUrl: url, document: readFileSync(new URL(file, contexts), 'utf8') }
  }
  // Loaded on first use: it needs 20 MB.
  const { default: library } = await import('jsonld')
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library's types for JSON are its own
    const input = tree as Parameters<typeof jsonld.expand>[0]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- and so are those of its answer
    return (await library.expand(input, { base, documentLoader } as object)) as JsonLdValue
  } catch (cause) {
    if (remote !== '') {
      throw new Failure(
        'remote-context',
        `the context ${remote} is on another host and is not loaded; put it into the document`,
        { cause, errors: [{ detail: remote }] },
      )
    }
    const detail = cause instanceof Error ? cause.message : 'this is not JSON-LD'
    throw malformed(detail.replace('must a ', 'must be a '), {}, cause)
  }
}

/** Number of nodes that are expanded between two yields. */
const nodesPerChunk = 200

/**
 * Expands a list of nodes (the whole document or its `@graph`) in chunks and yields to the event loop in between; nodes do
 * not depend on each other (JSON-LD 1.1 API, 5.1.2). Other documents are expanded at once.
 */
async function expandInTurns(tree: JsonLdValue, base: string): Promise<JsonLdValue> {
  const { '@graph': graph, '@context': context, ...others } = isJsonLdObject(tree) ? tree : {}
  const isGraph = Object.keys(others).length === 0
  const nodes = Array.isArray(tree) ? tree : isGraph && Array.isArray(graph) ? graph : []
  if (nodes.length <= nodesPerChunk) return expand(tree, base)
  const expanded: JsonLdValue[] = []
  for (let at = 0; at < nodes.length; at += nodesPerChunk) {
    const chunk = nodes.slice(at, at + nodesPerChunk)
    const document = context === undefined ? chunk : { '@context': context, '@graph': chunk }
    for (const node of [await expand(document, base)].flat()) expanded.push(node)
    await nextTurn()
  }
  return expanded
}

// Invalid nodes do not affect the other nodes of a document.

/**
 * Expands a document. With repair, nodes that fail are dropped and reported; without, the first one throws with its JSON Pointer.
 */
export async function expandUsable(tree: JsonLdValue, options: ParseOptions): Promise<JsonLdValue> {
  const { baseIri, repair } = options
  const context: Record<string, JsonLdValue> = isJsonLdObject(tree)
    ? { '@context': tree['@context'] ?? null }
    : {}
  const faultIn = async (nodes: JsonLdValue[]): Promise<Failure | undefined> => {
    try {
      await expand({ ...context, '@graph': nodes }, baseIri)
      return undefined
    } catch (error) {
      if (error instanceof Failure && error.kind === 'malformed-rdf') return error
      throw error
    }
  }
  /** Finds the parts that fail, by bisection. */
  async function* failingParts(parts: readonly Part[]): AsyncGenerator<Part> {
    if (parts.length === 0 || !(await faultIn(parts.map(({ value }) => value)))) return
    const middle = parts.length >> 1
    if (middle === 0) yield* parts
    else for (const half of [parts.slice(0, middle), parts.slice(middle)]) yield* failingParts(half)
  }
  const dropFailing = async (parts: readonly Part[]): Promise<void> => {
    for await (const part of failingParts(parts)) {
      await dropFailing(partsOf(part.value, part.pointer))
      const fault = await faultIn([part.value])
      if (!fault) continue
      const detail = `${part.pointer}: ${fault.detail}`
      if (!repair) throw malformed(detail, {}, fault)
      repair({ kind: 'node', from: detail })
      part.leaveOut()
    }
  }
  try {
    return await expandInTurns(tree, baseIri)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'malformed-rdf') throw error
    await dropFailing(partsOf(tree, ''))
    return expandInTurns(tree, baseIri)
  }
}

type Part = { readonly value: JsonLdValue; readonly pointer: string; readonly leaveOut: () => void }

/** Objects directly below a value. */
function partsOf(value: JsonLdValue, pointer: string): readonly Part[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => {
    if (key === '@context' || typeof child !== 'object' || child === null) return []
    const place = `${pointer}${jsonPointer(key)}`
    if (Array.isArray(child)) return partsOf(child, place)
    return { value: child, pointer: place, leaveOut: () => void Reflect.set(value, key, null) }
  })
}

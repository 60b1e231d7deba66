/** JSON-LD by jsonld: expansion is its work, contexts come from the document itself and from nowhere else. */
import type { Quad } from '@rdfjs/types'
import type jsonld from 'jsonld'
import { Failure } from '../../../errors.ts'
import { CheckedTerms } from '../checked-terms.ts'
import { bundledContext } from './contexts.ts'
import { ExpandedJson } from './expanded.ts'
import { shieldTags } from './languages.ts'
import { eachObject, isObject, type Json, readJson } from './tree.ts'
import { BadTerm, malformed, type ParseOptions, refused } from '../options.ts'
import { usable } from '../pieces.ts'
import { placeOf } from '../place.ts'

const limits = { contexts: 16, terms: 1_000 }

/** Reads a whole document. Throws `Failure('remote-context')` with the address of a context that we do not have. */
export async function readJsonLd(text: string, options: ParseOptions): Promise<Quad[]> {
  const tree = readJson(text)
  boundContexts(tree)
  shieldTags(tree)
  const restore = shieldSpaces(tree, text)
  const expanded = await expand(tree, options.baseIri)
  const terms = new CheckedTerms(options)
  const document = new ExpandedJson({ terms, restore })
  try {
    document.graph(expanded, terms.defaultGraph())
  } catch (error) {
    if (!(error instanceof BadTerm)) throw error
    throw refused(error, placeOf(text, JSON.stringify(error.source).slice(1, -1)))
  }
  return usable(document.quads, options)
}

function boundContexts(tree: Json): void {
  eachObject(tree, (object) => {
    const contexts = [object['@context']].flat()
    if (contexts.length > limits.contexts) throw malformed('a node has more than 16 contexts')
    for (const context of contexts) {
      if (isObject(context) && Object.keys(context).length > limits.terms) {
        throw malformed('a context defines more than 1000 terms')
      }
    }
  })
}

const space = /\s/g
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/
const shielded = /[\u{F0009}-\u{FFEFF}]/gu
const plane = 0xf0000

/**
 * Expansion takes `tel:+49 40` for a relative reference, because of its space, and would resolve it. White space in
 * strings that begin like an IRI therefore travels as private characters; answers how to undo that.
 */
function shieldSpaces(tree: Json, text: string): (text: string) => string {
  const keep = (same: string) => same
  if (shielded.test(text)) {
    shielded.lastIndex = 0
    return keep
  }
  let found = false
  const shield = (value: Json): Json => {
    if (typeof value !== 'string' || !scheme.test(value) || !/\s/.test(value)) return value
    found = true
    return value.replace(space, (gap) => String.fromCodePoint(plane + gap.charCodeAt(0)))
  }
  eachObject({ tree }, (object) => {
    for (const [key, value] of Object.entries(object)) {
      if (key === '@context') continue
      object[key] = Array.isArray(value) ? value.map(shield) : shield(value)
    }
  })
  if (!found) return keep
  return (held) =>
    held.replace(shielded, (gap) => String.fromCharCode((gap.codePointAt(0) ?? plane) - plane))
}

async function expand(tree: Json, base: string): Promise<Json> {
  let remote = ''
  const documentLoader = async (url: string) => {
    const document = bundledContext(url)
    if (document === undefined) {
      remote = url
      throw new Error('not bundled')
    }
    return { documentUrl: url, document: { '@context': document } }
  }
  // Taken in with the first document: it needs 20 MB, and many platforms never see JSON-LD.
  const { default: library } = await import('jsonld')
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library's types for JSON are its own
    const input = tree as Parameters<typeof jsonld.expand>[0]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- and so are those of its answer
    return (await library.expand(input, { base, documentLoader } as object)) as Json
  } catch (cause) {
    if (remote !== '') {
      throw new Failure(
        'remote-context',
        `the context ${remote} is on another host and is not loaded; put it into the document`,
        { cause, errors: [{ detail: remote }] },
      )
    }
    const detail = cause instanceof Error ? cause.message : 'this is not JSON-LD'
    throw malformed(detail, {}, cause)
  }
}

/** Files of shapes, read and looked through before anybody validates with them. */

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { toLine } from '../../rdf/lines.ts'
import { formatOfSuffix } from '../../rdf/media-types.ts'
import { owl, skos } from '../../rdf/namespaces.ts'
import { decode, parse } from '../../rdf/parse.ts'
import { blankNode, quad } from '../../rdf/terms.ts'
import { sh } from '../dqv/quality-terms.ts'

/** The shapes of one model, out of all of its files. */
type Shapes = {
  /** N-Triples. */
  readonly lines: string
  /** They ask which scheme a concept is in. */
  readonly needsSchemes: boolean
}

/** Bytes of one file of shapes. */
const mostBytes = 20 * 2 ** 20

const imports = owl('imports').value
const targets: ReadonlySet<string> = new Set(
  ['targetClass', 'targetNode', 'targetSubjectsOf', 'targetObjectsOf'].map((n) => sh(n).value),
)
/** What the engine has no rules for. */
const unsupported: ReadonlySet<string> = new Set(['sparql', 'js', 'target'].map((n) => sh(n).value))

/**
 * Reads the files of a model. What they import is not loaded. Throws an `Error` whose message says which file is at fault
 * and why.
 */
export async function readShapes(paths: readonly string[]): Promise<Shapes> {
  const read = await Promise.all(paths.map((path, at) => readQuads(path, at)))
  const quads = read.flat()
  if (!quads.some(({ predicate }) => targets.has(predicate.value))) {
    throw new Error(`${paths.join(', ')}: no shape has a target`)
  }
  return {
    lines: quads.map((one) => `${toLine(one)}\n`).join(''),
    needsSchemes: quads.some(({ object }) => object.value === skos('inScheme').value),
  }
}

async function readQuads(path: string, number: number): Promise<readonly Quad[]> {
  try {
    const format = formatOfSuffix(path.slice(path.lastIndexOf('.') + 1))
    if (!format) throw new Error('its suffix is none of RDF')
    const { size } = await stat(path)
    if (size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`)
    const quads = await parse(decode(await readFile(path)), format, { baseIri: `file://${path}` })
    for (const { predicate, object } of quads) check(predicate.value, object.value)
    return quads
      .filter(({ predicate }) => predicate.value !== imports)
      .map(({ subject, predicate, object }) =>
        quad(renamed(subject, number), predicate, renamed(object, number)),
      )
  } catch (cause) {
    throw new Error(`${path}: ${told(cause)}`, { cause })
  }
}

/** Labels of blank nodes mean something in their own file only. */
const renamed = <T extends Term>(term: T, file: number) =>
  term.termType === 'BlankNode' ? blankNode(`f${file}_${term.value}`) : term

function told(error: unknown): string {
  if (error instanceof Failure) {
    const [place] = error.errors
    const line = place?.line === undefined ? '' : ` (line ${place.line})`
    return `${place?.detail ?? error.detail}${line}`
  }
  return error instanceof Error ? error.message : String(error)
}

function check(predicate: string, value: string): void {
  if (unsupported.has(predicate)) throw new Error(`${predicate} is not supported`)
  if (predicate !== sh('pattern').value) return
  try {
    void new RegExp(value)
  } catch (cause) {
    throw new Error(`the pattern ${value} is no regular expression`, { cause })
  }
}

// The controlled vocabularies that are shipped, as far as validation needs them: which scheme a concept is in.

export type Schemes = readonly (readonly [concept: string, scheme: string])[]

const inScheme = skos('inScheme').value

/** Concept and scheme of every concept in the Turtle files of a directory. */
export async function readSchemes(directory: string): Promise<Schemes> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.ttl'))
  const found: (readonly [string, string])[] = []
  for (const file of files.sort()) {
    const text = await readFile(join(directory, file), 'utf8')
    for (const { subject, predicate, object } of await parse(text, 'turtle', { baseIri: '' })) {
      if (predicate.value === inScheme) found.push([subject.value, object.value])
    }
  }
  return found
}

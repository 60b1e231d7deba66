/** The shape files of a profile directory: which there are, and where a shape is found. */

import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { decode, parse } from '../rdf/parse.ts'
import { placedQuads } from '../rdf/reading/placed-quads.ts'
import type { FindShape } from './compile-profile.ts'
import { leaves, type Placed } from './entry-file.ts'
import type { ProfilePlace, Problems } from './profile-problems.ts'
import { readShapeNodes, type ShapeNode, type Shapes } from './profile-shapes.ts'

type ShapesFile = Shapes & { readonly file: string; readonly quads: readonly Quad[] }

export type ShapeFiles = {
  readonly files: readonly ShapesFile[]
  readonly find: FindShape
}

/** A file that an entry names, and where it does. */
export type NamedFile = { readonly path: string; readonly at: ProfilePlace }

const baseIri = 'urn:cartulary:profile:'

async function readOne(directory: string, path: string): Promise<ShapesFile> {
  const place = await realpath(join(directory, path))
  const root = await realpath(directory)
  if (!place.startsWith(root + sep)) throw new Error('leaves the directory')
  const text = decode(await readFile(place))
  const quads = await parse(text, 'turtle', { baseIri })
  return { file: path, quads, ...readShapeNodes(path, placedQuads(text, baseIri)) }
}

/** What is wrong with a file; a syntax error stands at its line, everything else where the file is named. */
function fault(
  cause: unknown,
  path: string,
  at: ProfilePlace,
): { place: ProfilePlace; problem: string } {
  const [complaint] = cause instanceof Failure ? cause.errors : []
  if (complaint) {
    const { line, detail } = complaint
    return { place: { file: path, ...(line !== undefined && { line }) }, problem: detail }
  }
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  const reason = cause instanceof Error ? cause.message : String(cause)
  return { place: at, problem: `path "${path}" ${isMissing ? 'is no file' : reason}` }
}

/**
 * Reads the files that the entries name and then every other `*.ttl` of the directory. They stay apart: a shape that
 * two files define is taken from the file that mentions it, else from the first in this order.
 */
export async function readShapeFiles(
  directory: string,
  named: readonly NamedFile[],
  problems: Problems,
): Promise<ShapeFiles> {
  const files: ShapesFile[] = []
  const others = (await readdir(directory)).filter((name) => name.endsWith('.ttl')).toSorted()
  const all = [...named, ...others.map((path): NamedFile => ({ path, at: { file: path } }))]
  for (const [index, { path, at }] of all.entries()) {
    const isNamed = index < named.length
    const isKnown = all.findIndex((one) => one.path === path) < index
    if (isKnown || (isNamed && leaves(path))) continue
    try {
      files.push(await readOne(directory, path))
    } catch (cause) {
      const { place, problem } = fault(cause, path, at)
      if (isNamed) problems.add(place, problem)
      else problems.warn(place, `the file is left out: ${problem}`)
    }
  }
  return { files, find: finder(files) }
}

const finder =
  (files: readonly ShapesFile[]): FindShape =>
  (iri, ownFile) =>
    files.find(({ file }) => file === ownFile)?.shapes.get(iri) ??
    files.find(({ shapes }) => shapes.has(iri))?.shapes.get(iri)

/** Files of a second directory behind those of the first: shapes are looked up there when the first has none. */
export function behind(first: ShapeFiles, second: ShapeFiles): ShapeFiles {
  return {
    files: [...first.files, ...second.files],
    find: (iri, ownFile) => first.find(iri, ownFile) ?? second.find(iri, ownFile),
  }
}

/** The shape that an entry names; tells when there is none, unless the entry's file is the trouble and was told. */
export function rootOf(
  { entry, at }: Placed<{ readonly path: string; readonly shapeUri: string }>,
  { files, find }: ShapeFiles,
  problems: Problems,
): ShapeNode | undefined {
  const node = find(entry.shapeUri, entry.path)
  if (!node && files.some(({ file }) => file === entry.path))
    problems.add(at('shapeUri'), `there is no such sh:NodeShape: <${entry.shapeUri}>`)
  return node
}

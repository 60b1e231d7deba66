/** The shape files of a profile directory: which there are, and where a shape is found. */

import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parse } from '../rdf/parse.ts'
import type { FindShape } from './compile.ts'
import type { Problems } from './problems.ts'
import { readShapes, type ShapesFile } from './shapes.ts'

export type ShapeFiles = {
  readonly files: readonly ShapesFile[]
  readonly find: FindShape
}

async function readOne(directory: string, path: string): Promise<ShapesFile> {
  const place = await realpath(join(directory, path))
  const root = await realpath(directory)
  if (!place.startsWith(root + sep)) throw new Error('leaves the directory')
  const text = await readFile(place, 'utf8')
  return readShapes(path, await parse(text, 'turtle', { baseIri: 'urn:cartulary:profile:' }))
}

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

async function readNamed(directory: string, paths: readonly string[], problems: Problems) {
  const files: ShapesFile[] = []
  for (const path of paths) {
    try {
      files.push(await readOne(directory, path))
    } catch (cause) {
      problems.add({ file: path }, reason(cause))
    }
  }
  return files
}

async function readOthers(directory: string, named: readonly string[], problems: Problems) {
  const files: ShapesFile[] = []
  const found = await readdir(directory)
  for (const path of found.filter((name) => name.endsWith('.ttl')).toSorted()) {
    if (named.includes(path)) continue
    try {
      files.push(await readOne(directory, path))
    } catch (cause) {
      problems.warn({ file: path }, `is left out: ${reason(cause)}`)
    }
  }
  return files
}

/**
 * Reads the files that the entries name and then every other `*.ttl` of the directory. They stay apart: a shape that
 * two files define is taken from the file that mentions it, else from the first in this order.
 */
export async function readShapeFiles(
  directory: string,
  paths: readonly string[],
  problems: Problems,
): Promise<ShapeFiles> {
  const named = [...new Set(paths)]
  const files = [
    ...(await readNamed(directory, named, problems)),
    ...(await readOthers(directory, named, problems)),
  ]
  const find: FindShape = (iri, ownFile) =>
    files.find(({ file }) => file === ownFile)?.shapes.get(iri) ??
    files.find(({ shapes }) => shapes.has(iri))?.shapes.get(iri)
  return { files, find }
}

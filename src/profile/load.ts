/** Loads a profile directory: entry file, shapes, compiled fields, and every complaint in one message. */

import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serialise } from '../rdf/serialise.ts'
import { compileShape } from './compile.ts'
import { demandOfCatalogue, demandOfDataset } from './demands.ts'
import { readEntryFile, type EntryFile } from './entry.ts'
import type { Entry, Profile, Shape } from './fields.ts'
import { readShapeFiles, type ShapeFiles } from './files.ts'
import { collectProblems, type Problems } from './problems.ts'
import { localName, type ProfileNode, type ShapeNode } from './shapes.ts'

/** The profile that ships with the platform. */
export const builtInDirectory = fileURLToPath(new URL('../../shapes/default', import.meta.url))

function compileEntry(entry: Entry, { find }: ShapeFiles, problems: Problems): Shape | undefined {
  const node = find(entry.shapeUri, entry.path)
  if (!node) {
    problems.add({ file: entry.path, shape: entry.shapeUri }, 'there is no such sh:NodeShape')
    return undefined
  }
  const shape = compileShape(node, { find, problems })
  if (entry.id === 'dataset') demandOfDataset(shape, node, problems)
  else demandOfCatalogue(shape, node, problems)
  return shape
}

function conceptNode({ files }: ShapeFiles): ShapeNode | undefined {
  const nodes = files.flatMap(({ shapes }) => [...shapes.values()])
  return nodes.find((node) => localName(node.iri).endsWith('Vocable_Shape'))
}

async function conceptShape(from: ShapeFiles, problems: Problems): Promise<Shape | undefined> {
  const own = conceptNode(from)
  const files = own ? from : await readShapeFiles(builtInDirectory, ['concept.ttl'], problems)
  const node = own ?? conceptNode(files)
  return node && compileShape(node, { find: files.find, problems, filled: true })
}

const nobody: ProfileNode = {
  profileVersion: '1',
  title: '',
  description: '',
  maker: '',
  versionInfo: '',
}

function profileNode({ files }: ShapeFiles, problems: Problems): ProfileNode {
  const found = files.find(({ profile }) => profile)
  const namespaces = new Set(files.flatMap((file) => [...file.namespaces]))
  if (namespaces.size > 1)
    problems.warn(
      { file: found?.file ?? '*.ttl' },
      `uses two namespaces: ${[...namespaces].join(' ')}`,
    )
  const node = found?.profile
  if (node?.profileVersion && node.profileVersion !== '1')
    problems.add(
      { file: found?.file ?? '', property: 'profileVersion' },
      `is "${node.profileVersion}"; "1" is the only one there is`,
    )
  return node ? { ...node, profileVersion: node.profileVersion || '1' } : nobody
}

/** Shapes in use, as one text; every file keeps its own blank nodes. */
async function mergedShapes({ files }: ShapeFiles): Promise<string> {
  return serialise(
    files.flatMap((file) => file.quads),
    'turtle',
  )
}

function hashOf(...shapes: readonly Shape[]): string {
  const text = JSON.stringify(shapes, (key, value: unknown) =>
    key === 'description' ? undefined : value,
  )
  return createHash('sha256').update(text).digest('hex')
}

async function compiled(entries: readonly Entry[], files: ShapeFiles, problems: Problems) {
  const shapes = new Map(entries.map((entry) => [entry.id, compileEntry(entry, files, problems)]))
  const concept = await conceptShape(files, problems)
  const node = profileNode(files, problems)
  return { node, dataset: shapes.get('dataset'), catalogue: shapes.get('catalog'), concept }
}

/** Directory and entries whose shapes serve: the built-in ones for an entry file without `core`. */
async function sourceOf(directory: string, file: EntryFile | undefined, problems: Problems) {
  if (!file) return { directory, entries: [] }
  if (file.core) return { directory, entries: file.core }
  const builtIn = await readEntryFile(builtInDirectory, problems)
  return { directory: builtInDirectory, entries: builtIn?.core ?? [] }
}

/**
 * Reads and compiles the profile in `directory`. Rejects with one Error that names every problem with file, shape and
 * property. `enabled` is what `GET /profile` says about the feature flag; by default a profile of one's own is.
 */
export async function loadProfile(
  directory: string = builtInDirectory,
  options: { readonly enabled?: boolean } = {},
): Promise<Profile> {
  const problems = collectProblems()
  const entryFile = await readEntryFile(directory, problems)
  const source = await sourceOf(directory, entryFile, problems)
  const paths = source.entries.map((entry) => entry.path)
  const files = await readShapeFiles(source.directory, paths, problems)
  const { node, dataset, catalogue, concept } = await compiled(source.entries, files, problems)
  problems.raise(directory)
  if (!entryFile || !dataset || !catalogue || !concept)
    throw new Error(`The profile in ${directory} has no dataset, catalogue or concept shape.`)
  const builtIn = resolve(directory) === resolve(builtInDirectory)
  return {
    ...node,
    id: entryFile.id,
    version: entryFile.version,
    builtIn,
    enabled: options.enabled ?? !builtIn,
    dataset,
    catalogue,
    concept,
    entries: source.entries,
    resources: [],
    shapes: await mergedShapes(files),
    hash: hashOf(dataset, catalogue, concept),
    warnings: problems.warnings,
  }
}

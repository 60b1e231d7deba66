/** Loads a profile directory: entry file, shapes, compiled fields, and every complaint in one message. */

import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinLines, toLine } from '../rdf/lines.ts'
import { serialise } from '../rdf/serialise.ts'
import {
  compileShape,
  checkCatalogueShape,
  checkDatasetShape,
  checkResourceShape,
} from './compile-profile.ts'
import {
  type DeclaredType,
  type EntryFile,
  type LocatedEntry,
  readEntryFile,
} from './entry-file.ts'
import type { Entry, Field, Profile, ResourceType, Shape } from './profile.ts'
import { collectProblems, type Problems } from './profile-problems.ts'
import { valueKeysOf } from './record-schemas.ts'
import {
  withFallback,
  type NamedFile,
  type ProfileNode,
  readShapeFiles,
  shapeOfEntry,
  type ShapeFiles,
  type ShapeNode,
} from './profile-shapes.ts'
import { localName } from '../rdf/iri.ts'

/** The profile that ships with the platform. */
export const builtInDirectory = fileURLToPath(new URL('../../shapes/default', import.meta.url))

/** The compiled shape of a core entry, checked against the demands of the platform; `undefined` when there is no such shape. */
function compileEntry(placed: LocatedEntry<Entry>, files: ShapeFiles, problems: Problems) {
  const { find } = files
  const node = shapeOfEntry(placed, files, problems)
  if (!node) return undefined
  const isDataset = placed.entry.id === 'dataset'
  const shape = compileShape(node, { find, problems, root: isDataset ? 'record' : 'catalogue' })
  const demand = isDataset ? checkDatasetShape : checkCatalogueShape
  demand({ shape, node, problems })
  return shape
}

/** The shape of concepts goes by its name, because public profiles declare no target class for it. */
const conceptNode = ({ files }: ShapeFiles): ShapeNode | undefined =>
  files
    .flatMap(({ shapes }) => [...shapes.values()])
    .find((node) => localName(node.iri).endsWith('Vocable_Shape'))

function conceptShape(files: ShapeFiles, problems: Problems): Shape | undefined {
  const node = conceptNode(files)
  return node && compileShape(node, { find: files.find, problems, root: 'concept' })
}

/** Description of the profile in its files, which may be empty. Two namespaces of annotations are read alike, with a warning. */
function profileNode({ files }: ShapeFiles, problems: Problems): ProfileNode {
  const found = files.find(({ profile }) => profile)
  const namespaces = new Set(files.flatMap((file) => [...file.namespaces]))
  if (namespaces.size > 1)
    problems.warn(
      { file: found?.file ?? '*.ttl' },
      `uses two namespaces: ${[...namespaces].join(' ')}`,
    )
  if (!found?.profile)
    return { profileVersion: '1', title: '', description: '', maker: '', versionInfo: '' }
  const { node, line } = found.profile
  if (node.profileVersion && node.profileVersion !== '1')
    problems.add(
      { file: found.file, line, property: 'profileVersion' },
      `is "${node.profileVersion}"; "1" is the only one there is`,
    )
  return { ...node, profileVersion: node.profileVersion || '1' }
}

/** The files that entries name. */
const filesNamedBy = (
  entries: readonly LocatedEntry<{ readonly path: string }>[],
): readonly NamedFile[] => entries.map(({ entry, at }) => ({ path: entry.path, at: at('path') }))

type ProfileSources = {
  readonly core: readonly LocatedEntry<Entry>[]
  /** The profile's own files, those of the platform, and both together. */
  readonly own: ShapeFiles
  readonly platform: ShapeFiles
  readonly all: ShapeFiles
}

/** The platform's shapes serve where the profile has none: for concepts, and for an entry file without `core`. */
async function sourcesOf(
  directory: string,
  file: EntryFile | undefined,
  problems: Problems,
): Promise<ProfileSources> {
  const named = filesNamedBy([...(file?.core ?? []), ...(file?.resources ?? [])])
  const own = await readShapeFiles(directory, named, problems)
  const core = (await readEntryFile(builtInDirectory, problems))?.core ?? []
  const platform = await readShapeFiles(builtInDirectory, filesNamedBy(core), problems)
  return { core: file?.core ?? core, own, platform, all: withFallback(own, platform) }
}

/** All shapes of the profile as one text; every file keeps its own blank nodes. */
async function mergedShapes(
  { own, platform, all }: ProfileSources,
  withCore: boolean,
): Promise<string> {
  const concept = conceptNode(own) ? undefined : conceptNode(platform)?.file
  const files = withCore
    ? all.files
    : [...own.files, ...platform.files.filter(({ file }) => file === concept)]
  const lines = new Set(files.flatMap(({ quads }) => quads.map(toLine)))
  return serialise(joinLines([...lines]), 'turtle')
}

/**
 * Reads and compiles the profile in `directory`. Rejects with one Error that names every problem with file, line, shape
 * and property. `enabled` is what `GET /profile` says about the feature flag; by default a profile of one's own is.
 */
export async function loadProfile(
  directory: string = builtInDirectory,
  options: { readonly enabled?: boolean } = {},
): Promise<Profile> {
  const problems = collectProblems()
  const file = await readEntryFile(directory, problems)
  if (!file) problems.throwIfAny(directory)
  const isBuiltIn = resolve(directory) === resolve(builtInDirectory)
  const sources = await sourcesOf(directory, file, problems)
  const coreFiles = file?.core ? sources.own : sources.platform
  const [dataset, catalogue] = ['dataset', 'catalog'].map((id) => {
    const placed = sources.core.find(({ entry }) => entry.id === id)
    return placed && compileEntry(placed, coreFiles, problems)
  })
  const concept = conceptShape(conceptNode(sources.own) ? sources.own : sources.platform, problems)
  const resources = (file?.resources ?? []).flatMap(
    (placed) => compileType(placed, sources.all, problems) ?? [],
  )
  const node = profileNode(sources.own, problems)
  problems.throwIfAny(directory)
  if (!file || !dataset || !catalogue || !concept)
    throw new Error(`The profile in ${directory} has no dataset, catalogue or concept shape.`)
  return {
    ...node,
    id: file.id,
    version: file.version,
    builtIn: isBuiltIn,
    enabled: options.enabled ?? !isBuiltIn,
    dataset,
    catalogue,
    concept,
    entries: sources.core.map(({ entry }) => entry),
    resources,
    shapes: await mergedShapes(sources, file.core === undefined),
    hash: hashOf([dataset, catalogue, concept], resources),
    warnings: problems.warnings,
  }
}

// The hash of a profile: another one means other documents or another index.

/** All of a field that decides what documents and indices look like; texts for readers do not. */
const hashedFieldParts = ({
  name,
  mapping,
  paths,
  required,
  single,
  tooDeep,
  children,
}: Field): unknown => [
  name,
  mapping,
  paths,
  [required, single, tooDeep === true],
  children.map(hashedFieldParts),
]

/** All of a custom type that decides what documents and its index look like. */
const hashedTypeParts = ({ id, typeUri, inCatalogue, shape, search }: ResourceType): unknown => [
  id,
  typeUri,
  inCatalogue,
  shape.fields.map(hashedFieldParts),
  search,
]

/** SHA-256 over the compiled fields and the custom resource types, hexadecimal. */
function hashOf(shapes: readonly Shape[], resources: readonly ResourceType[]): string {
  const core = shapes.map(({ fields }) => fields.map(hashedFieldParts))
  return hash('sha256', JSON.stringify([core, resources.map(hashedTypeParts)]), 'hex')
}

// Custom resource types: their shapes, and the facets that their fields can feed.

/** Whether a dotted path is a field, or a key of what the class of a field makes. */
function hasField(fields: readonly Field[], path: string): boolean {
  const [name, ...rest] = path.split('.')
  const field = fields.find((one) => one.name === name)
  if (!field) return false
  const [key, ...more] = rest
  if (key === undefined) return true
  return field.mapping === 'Nested'
    ? hasField(field.children, rest.join('.'))
    : more.length === 0 && valueKeysOf(field.mapping).has(key)
}

/** A custom type with its shape; a facet that no field can feed is left out with a warning. */
function compileType(
  placed: LocatedEntry<DeclaredType>,
  files: ShapeFiles,
  problems: Problems,
): ResourceType | undefined {
  const { entry, at } = placed
  const { find } = files
  const node = shapeOfEntry(placed, files, problems)
  if (!node) return undefined
  const root = entry.inCatalogue ? ('record' as const) : ('standalone' as const)
  const shape = compileShape(node, { find, problems, root })
  checkResourceShape({ shape, node, problems }, entry.inCatalogue)
  const facets = entry.search.facets.filter((facet) => {
    const isServed = hasField(shape.fields, facet.path)
    if (!isServed)
      problems.warn(
        at('searchSettings'),
        `facet "${facet.name}" is left out: there is no field ${facet.path}`,
      )
    return isServed
  })
  return { ...entry, shape, search: { ...entry.search, facets } }
}

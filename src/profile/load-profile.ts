/** Loads a profile directory: reads the entry file and shapes, compiles the fields, and reports all problems in one message. */

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

/** Directory of the profile that ships with the platform. */
export const builtInDirectory = fileURLToPath(new URL('../../shapes/default', import.meta.url))

/** Compiles the shape of a core entry and checks its required fields; `undefined` when the shape does not exist. */
function compileEntry(located: LocatedEntry<Entry>, files: ShapeFiles, problems: Problems) {
  const { find } = files
  const node = shapeOfEntry(located, files, problems)
  if (!node) return undefined
  const isDataset = located.entry.id === 'dataset'
  const shape = compileShape(node, { find, problems, root: isDataset ? 'record' : 'catalogue' })
  const checkShape = isDataset ? checkDatasetShape : checkCatalogueShape
  checkShape({ shape, node, problems })
  return shape
}

/** Shape of concepts, found by its name, because public profiles declare no target class for it. */
const conceptNode = ({ files }: ShapeFiles): ShapeNode | undefined =>
  files
    .flatMap(({ shapes }) => [...shapes.values()])
    .find((node) => localName(node.iri).endsWith('Vocable_Shape'))

function conceptShape(files: ShapeFiles, problems: Problems): Shape | undefined {
  const node = conceptNode(files)
  return node && compileShape(node, { find: files.find, problems, root: 'concept' })
}

/**
 * Description of the profile in its files, with empty texts and the `profileVersion` 1 where there is none. Warns of annotations
 * in several namespaces, and reports another `profileVersion`.
 */
function profileNode({ files }: ShapeFiles, problems: Problems): ProfileNode {
  const describedFile = files.find(({ profile }) => profile)
  const namespaces = new Set(files.flatMap((file) => [...file.namespaces]))
  if (namespaces.size > 1)
    problems.warn(
      { file: describedFile?.file ?? '*.ttl' },
      `uses two namespaces: ${[...namespaces].join(' ')}`,
    )
  if (!describedFile?.profile)
    return { profileVersion: '1', title: '', description: '', maker: '', versionInfo: '' }
  const { node, line } = describedFile.profile
  if (node.profileVersion && node.profileVersion !== '1')
    problems.add(
      { file: describedFile.file, line, property: 'profileVersion' },
      `is "${node.profileVersion}"; "1" is the only one there is`,
    )
  return { ...node, profileVersion: node.profileVersion || '1' }
}

/** Files that entries name. */
const filesNamedBy = (
  entries: readonly LocatedEntry<{ readonly path: string }>[],
): readonly NamedFile[] =>
  entries.map(({ entry, placeOf }) => ({ path: entry.path, place: placeOf('path') }))

type ProfileSources = {
  /** Entries of `core`, of the platform where the profile has none. */
  readonly core: readonly LocatedEntry<Entry>[]
  /** Files of the profile, those that ship with the platform, and both together. */
  readonly profileFiles: ShapeFiles
  readonly platformFiles: ShapeFiles
  readonly allFiles: ShapeFiles
}

/**
 * Reads all files. The platform's shapes are used where the profile has none: for concepts, without `core`, and for resource
 * types that name one of them.
 */
async function sourcesOf(
  directory: string,
  file: EntryFile | undefined,
  problems: Problems,
): Promise<ProfileSources> {
  const namedFiles = filesNamedBy([...(file?.core ?? []), ...(file?.resources ?? [])])
  const profileFiles = await readShapeFiles(directory, namedFiles, problems)
  const core = (await readEntryFile(builtInDirectory, problems))?.core ?? []
  const platformFiles = await readShapeFiles(builtInDirectory, filesNamedBy(core), problems)
  return {
    core: file?.core ?? core,
    profileFiles,
    platformFiles,
    allFiles: withFallback(profileFiles, platformFiles),
  }
}

/**
 * All shapes of the profile as one Turtle text; blank nodes of different files stay distinct. `withCore` adds all files of the
 * platform, otherwise only that with the shape of concepts is added where the profile has none.
 */
async function mergedShapes(
  { profileFiles, platformFiles, allFiles }: ProfileSources,
  withCore: boolean,
): Promise<string> {
  const concept = conceptNode(profileFiles) ? undefined : conceptNode(platformFiles)?.file
  const files = withCore
    ? allFiles.files
    : [...profileFiles.files, ...platformFiles.files.filter(({ file }) => file === concept)]
  const lines = new Set(files.flatMap(({ quads }) => quads.map(toLine)))
  return serialise(joinLines([...lines]), 'turtle')
}

/**
 * Reads and compiles the profile in `directory`. Rejects with one Error that names every problem with file, line, shape
 * and property. `enabled` is the feature flag that `GET /profile` shows; by default true except for the built-in profile.
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
  const coreFiles = file?.core ? sources.profileFiles : sources.platformFiles
  const [dataset, catalogue] = ['dataset', 'catalog'].map((id) => {
    const located = sources.core.find(({ entry }) => entry.id === id)
    return located && compileEntry(located, coreFiles, problems)
  })
  const concept = conceptShape(
    conceptNode(sources.profileFiles) ? sources.profileFiles : sources.platformFiles,
    problems,
  )
  const resources = (file?.resources ?? []).flatMap(
    (located) => compileType(located, sources.allFiles, problems) ?? [],
  )
  const node = profileNode(sources.profileFiles, problems)
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

// The hash of a profile: it changes with everything that decides the form of documents or of an index.

/** Parts of a field that decide the form of documents and indices; titles and descriptions do not. */
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

/** Parts of a custom resource type that decide the form of its documents and index. */
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

// Custom resource types: their shapes and facets.

/** Whether a dotted path is a field, or a key in the JSON of a field. */
function hasField(fields: readonly Field[], path: string): boolean {
  const [name, ...innerNames] = path.split('.')
  const field = fields.find((candidate) => candidate.name === name)
  if (!field) return false
  const [key, ...deeper] = innerNames
  if (key === undefined) return true
  return field.mapping === 'Nested'
    ? hasField(field.children, innerNames.join('.'))
    : deeper.length === 0 && valueKeysOf(field.mapping).has(key)
}

/** Custom resource type with its compiled shape; facets without a field are left out with a warning. */
function compileType(
  located: LocatedEntry<DeclaredType>,
  files: ShapeFiles,
  problems: Problems,
): ResourceType | undefined {
  const { entry, placeOf } = located
  const { find } = files
  const node = shapeOfEntry(located, files, problems)
  if (!node) return undefined
  const root = entry.inCatalogue ? ('record' as const) : ('standalone' as const)
  const shape = compileShape(node, { find, problems, root })
  checkResourceShape({ shape, node, problems }, entry.inCatalogue)
  const facets = entry.search.facets.filter((facet) => {
    const isField = hasField(shape.fields, facet.path)
    if (!isField)
      problems.warn(
        placeOf('searchSettings'),
        `facet "${facet.name}" is left out: there is no field ${facet.path}`,
      )
    return isField
  })
  return { ...entry, shape, search: { ...entry.search, facets } }
}

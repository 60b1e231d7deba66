/** The entry file of a profile directory, `platform.json`. */

import { readFile } from 'node:fs/promises'
import { isAbsolute, join, normalize } from 'node:path'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { decode } from '../rdf/parse.ts'
import type { Entry, ResourceType } from './profile.ts'
import type { Place, Problems } from './profile-problems.ts'

export type EntryFile = {
  readonly name: string
  readonly id: string
  readonly version: string
  /** Absent when the file only adds resource types: then the built-in shapes serve. */
  readonly core?: readonly Placed<Entry>[]
  readonly resources: readonly Placed<DeclaredType>[]
}

/** The second name is that of a related system, whose profiles are read as they are. */
const names = ['platform.json', 'piveau.json']

const whole = z.record(z.string(), z.unknown())
const list = z.array(z.unknown())
const version = z.literal('1', { error: 'version must be "1", the only one there is' })

async function firstOf(directory: string): Promise<{ name: string; bytes: Buffer } | undefined> {
  for (const name of names) {
    try {
      return { name, bytes: await readFile(join(directory, name)) }
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    }
  }
  return undefined
}

/** The text of the file when it is JSON. */
function textOf(name: string, bytes: Buffer, problems: Problems): string | undefined {
  try {
    const text = decode(bytes)
    const fault = faultOfJson(text)
    if (!fault) return text
    problems.add({ file: name, line: fault.line }, fault.message)
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    for (const { line, detail } of cause.errors)
      problems.add({ file: name, ...(line !== undefined && { line }) }, detail)
  }
  return undefined
}

function entryText(name: string, text: string, problems: Problems): EntryText {
  const line = jsonLines(text)
  return {
    problems,
    at: (path, label = path.map(String).join('.')) => ({
      file: name,
      line: line(path),
      ...(label !== '' && { property: label }),
    }),
  }
}

/** Reads and checks the entry file; whatever is wrong goes to `problems`, `undefined` when nothing can be read. */
export async function readEntryFile(
  directory: string,
  problems: Problems,
): Promise<EntryFile | undefined> {
  const found = await firstOf(directory)
  if (!found) {
    problems.add({ file: names[0] ?? '' }, `is missing in ${directory}`)
    return undefined
  }
  const { name } = found
  const json = textOf(name, found.bytes, problems)
  if (json === undefined) return undefined
  const text = entryText(name, json, problems)
  const file = read(text, whole, JSON.parse(json), [])
  if (!file) return undefined
  const core = 'core' in file ? (read(text, list, file['core'], ['core']) ?? []) : undefined
  const resources = 'resources' in file ? read(text, list, file['resources'], ['resources']) : []
  return {
    name,
    id: read(text, z.string(), file['id'], ['id']) ?? '',
    version: read(text, version, file['version'], ['version']) ?? '',
    ...(core && { core: readCore(text, core) }),
    resources: readResources(text, resources ?? []),
  }
}

/** Finds the line of the value at a path, else of the nearest one around it. The text must be legal JSON. */
export function jsonLines(text: string): (path: readonly PropertyKey[]) => number {
  const lines = new LineCounter()
  // JSON is YAML (YAML 1.2, 1.2).
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
}

function messageOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** A beginning of JSON that only lacks its end is told with a position, or as an unexpected end. */
const isBroken = (text: string) => !/^$|at position \d|end of JSON/.test(messageOf(text))

/** Characters up to and with the first that cannot be JSON, where the message does not say it. */
function soundUpTo(text: string): number {
  let [sound, broken] = [0, text.length]
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1
    if (isBroken(text.slice(0, middle))) broken = middle
    else sound = middle
  }
  return sound
}

/** Why a text is no JSON, and on which line it stops to be; `undefined` when it is JSON. */
export function faultOfJson(text: string): { line: number; message: string } | undefined {
  const message = messageOf(text)
  if (message === '') return undefined
  const told = /at position (\d+)/.exec(message)?.[1]
  const offset = told === undefined ? soundUpTo(text) : Number(told)
  return { line: text.slice(0, offset).split('\n').length, message }
}

// Reads values of the entry file and tells by line what is wrong with them.

/** The entry file while it is being read. */
type EntryText = {
  readonly problems: Problems
  /** The place of the value at a path; `label` names it for the reader, by default the path does. */
  readonly at: (path: readonly PropertyKey[], label?: string) => Place
}

/** The value by its schema; what is wrong goes to the problems, `undefined` when it cannot be used. */
function read<T>(
  { problems, at }: EntryText,
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly PropertyKey[],
): T | undefined {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues) problems.add(at([...path, ...issue.path]), issue.message)
  return undefined
}

/** Whether a path of the entry file points out of the profile directory. */
export const leaves = (path: string): boolean =>
  isAbsolute(path) || normalize(path).split(/[\\/]/)[0] === '..' || path.includes('\\')

/** Why a text cannot be the full IRI that an entry must give; `undefined` when it can. */
function faultOfIri(iri: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(iri)) return 'is no full IRI'
  const isPrefixed = /^[\w-]+:[\w-]+$/.test(iri) && !iri.startsWith('urn:')
  return isPrefixed ? 'is a prefixed name, not a full IRI' : undefined
}

/** Checks what entries of both kinds have: a file inside the directory and the full IRI of a shape. */
function checkShape(
  { problems, at }: EntryText,
  { path, shapeUri }: { readonly path: string; readonly shapeUri: string },
  where: readonly PropertyKey[],
  label: string,
): void {
  if (leaves(path))
    problems.add(at([...where, 'path'], label), `path "${path}" leaves the directory`)
  const fault = faultOfIri(shapeUri)
  if (fault !== undefined)
    problems.add(at([...where, 'shapeUri'], label), `shapeUri "${shapeUri}" ${fault}`)
}

// The entries of `core`: datasets and catalogues.

const entry = z.object({
  id: z.string(),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
})

/** An entry and where its keys stand. */
export type Placed<T> = { readonly entry: T; readonly at: (key: string) => Place }

const indexed: readonly string[] = ['dataset', 'catalog']

/** The entries that can be used; `indices` are those of the file's array. */
function readCore(text: EntryText, values: readonly unknown[]): readonly Placed<Entry>[] {
  const found: Placed<Entry>[] = []
  values.forEach((value, index) => {
    const path = ['core', index]
    const one = read(text, entry, value, path)
    if (!one) return
    const label = `core "${one.id}"`
    if (!indexed.includes(one.id)) {
      text.problems.warn(text.at(path, label), 'is not indexed: only dataset and catalog are')
      return
    }
    if (found.some(({ entry: { id } }) => id === one.id))
      text.problems.add(text.at([...path, 'id'], label), 'stands there twice')
    checkShape(text, one, path, label)
    found.push({ entry: one, at: (key) => text.at([...path, key], label) })
  })
  for (const wanted of indexed)
    if (!found.some(({ entry: { id } }) => id === wanted))
      text.problems.add(text.at(['core']), `has no entry "${wanted}"`)
  return found
}

// The entries of `resources`: types of records that the profile adds.

/** A type before its shape is compiled. */
export type DeclaredType = Omit<ResourceType, 'shape'>

const settings = z.object({
  max_agg_size: z.int().min(1).default(50),
  max_result_window: z.int().min(1).default(10_000),
  facets: z
    .array(z.object({ name: z.string().min(1), title: z.string().optional(), path: z.string() }))
    .default([]),
})

const resourceEntry = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'an id is up to 64 letters, digits and -' }),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
  typeUri: z.string(),
  inCatalogue: z.boolean().default(false),
  searchSettings: settings.prefault({}),
})

const core: ReadonlySet<string> = new Set(['dataset', 'catalog', 'catalogue', 'vocabulary'])

/** Indices are told apart without regard to case, because not every engine regards it. */
function checkId(
  text: EntryText,
  id: string,
  index: number,
  found: readonly Placed<DeclaredType>[],
) {
  const place = text.at(['resources', index, 'id'], `resources "${id}"`)
  const same = (other: string) => other.toLowerCase() === id.toLowerCase()
  if (core.has(id.toLowerCase())) text.problems.add(place, 'is the id of a core index')
  if (found.some(({ entry: other }) => same(other.id)))
    text.problems.add(place, 'stands there twice')
}

function checkFacets(
  text: EntryText,
  facets: ResourceType['search']['facets'],
  index: number,
  id: string,
) {
  facets.forEach(({ name }, at) => {
    if (facets.findIndex((other) => other.name === name) === at) return
    const path = ['resources', index, 'searchSettings', 'facets', at]
    text.problems.add(text.at(path, `resources "${id}"`), `facet "${name}" stands there twice`)
  })
}

/** The types that can be used, in the order of the file. */
function readResources(
  text: EntryText,
  values: readonly unknown[],
): readonly Placed<DeclaredType>[] {
  const found: Placed<DeclaredType>[] = []
  values.forEach((value, index) => {
    const path = ['resources', index]
    const one = read(text, resourceEntry, value, path)
    if (!one) return
    const { searchSettings, ...rest } = one
    const facets = searchSettings.facets.map((facet) => ({
      ...facet,
      title: facet.title ?? facet.name,
    }))
    const label = `resources "${one.id}"`
    checkId(text, one.id, index, found)
    checkShape(text, one, path, label)
    const fault = faultOfIri(one.typeUri)
    if (fault !== undefined)
      text.problems.add(text.at([...path, 'typeUri'], label), `typeUri "${one.typeUri}" ${fault}`)
    checkFacets(text, facets, index, one.id)
    const search = {
      facetSize: searchSettings.max_agg_size,
      window: searchSettings.max_result_window,
      facets,
    }
    found.push({ entry: { ...rest, search }, at: (key) => text.at([...path, key], label) })
  })
  return found
}

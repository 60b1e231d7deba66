/** The entry file of a profile directory, `platform.json`. */

import { readFile } from 'node:fs/promises'
import { isAbsolute, join, normalize } from 'node:path'
import { z } from 'zod'
import type { Problems } from './problems.ts'
import type { Entry } from './fields.ts'

const core = z.looseObject({
  id: z.string(),
  name: z.string().default(''),
  description: z.string().default(''),
  path: z.string(),
  shapeUri: z.string(),
})

const entryFile = z.looseObject({
  version: z.literal('1', { error: 'version must be "1", the only one there is' }),
  id: z.string(),
  core: z.array(core).optional(),
  resources: z.array(z.unknown()).optional(),
})

export type EntryFile = {
  readonly name: string
  readonly id: string
  readonly version: string
  /** Absent when the file only adds resource types: then the built-in shapes serve. */
  readonly core?: readonly Entry[]
}

/** The second name is that of a related system, whose profiles are read as they are. */
const names = ['platform.json', 'piveau.json']

const indexed = new Set(['dataset', 'catalog'])

async function firstOf(directory: string): Promise<{ name: string; text: string } | undefined> {
  for (const name of names) {
    try {
      return { name, text: await readFile(join(directory, name), 'utf8') }
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    }
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return cause instanceof Error ? cause : new Error('not JSON', { cause })
  }
}

const leaves = (path: string) =>
  isAbsolute(path) || normalize(path).split(/[\\/]/)[0] === '..' || path.includes('\\')

function checkCore(name: string, entries: readonly Entry[], problems: Problems): Entry[] {
  const seen = new Set<string>()
  return entries.filter((entry) => {
    const place = { file: name, shape: entry.shapeUri, property: `core "${entry.id}"` }
    if (!indexed.has(entry.id)) {
      problems.warn(place, 'is not indexed: only dataset and catalog are')
      return false
    }
    if (seen.has(entry.id)) problems.add(place, 'stands there twice')
    seen.add(entry.id)
    if (leaves(entry.path)) problems.add(place, `path "${entry.path}" leaves the directory`)
    if (!/^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i.test(entry.shapeUri))
      problems.add(place, `shapeUri "${entry.shapeUri}" is no full IRI`)
    else if (/^[\w-]+:[\w-]+$/.test(entry.shapeUri) && !entry.shapeUri.startsWith('urn:'))
      problems.add(place, `shapeUri "${entry.shapeUri}" is a prefixed name, not a full IRI`)
    return true
  })
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
  const result = entryFile.safeParse(parsed(found.text))
  if (!result.success) {
    for (const issue of result.error.issues)
      problems.add({ file: found.name, property: issue.path.join('.') }, issue.message)
    return undefined
  }
  const { id, version, core: entries, resources } = result.data
  if (resources?.length)
    problems.warn({ file: found.name, property: 'resources' }, 'custom resource types are left out')
  const checked = entries && checkCore(found.name, entries, problems)
  for (const wanted of indexed)
    if (checked && !checked.some((entry) => entry.id === wanted))
      problems.add({ file: found.name, property: 'core' }, `has no entry "${wanted}"`)
  return { name: found.name, id, version, ...(checked && { core: checked }) }
}

/** The entry file of a profile directory, `platform.json`. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Entry } from '../fields.ts'
import type { Problems } from '../problems.ts'
import { readCore, type Placed } from './core.ts'
import { faultLine, jsonLines } from './json-lines.ts'
import { read, type EntryText } from './reading.ts'
import { readResources, type DeclaredType } from './resources.ts'

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

function parsed(name: string, text: string, problems: Problems): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    problems.add({ file: name, line: faultLine(text, message) }, message)
    return undefined
  }
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
  const content = parsed(name, found.text, problems)
  if (!content) return undefined
  const text = entryText(name, found.text, problems)
  const file = read(text, whole, content.json, [])
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

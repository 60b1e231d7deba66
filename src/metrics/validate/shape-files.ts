/** Shape models, which are sets of SHACL files: their names, the files of each, and the check of a file before its use. */

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Quad, Term } from '@rdfjs/types'
import { Failure, invalidParameter } from '../../errors.ts'
import { formatOfSuffix } from '../../rdf/media-types.ts'
import { owl, skos, sh } from '../../rdf/namespaces.ts'
import { decode, parse } from '../../rdf/parse.ts'
import { blankNode, quad } from '../../rdf/terms.ts'

/** Most bytes of one file of shapes. */
const maxBytes = 20 * 2 ** 20

const imports = owl('imports').value
const targets: ReadonlySet<string> = new Set(
  ['targetClass', 'targetNode', 'targetSubjectsOf', 'targetObjectsOf'].map((n) => sh(n).value),
)
/** Terms of SHACL that the engine does not implement; a file with one is refused. */
const unsupported: ReadonlySet<string> = new Set(['sparql', 'js', 'target'].map((n) => sh(n).value))

/** Reads the files of a model, without their imports. Throws an `Error` whose message names the file and the reason. */
export async function readShapes(paths: readonly string[]): Promise<readonly Quad[]> {
  const quads = (await Promise.all(paths.map((path, index) => readQuads(path, index)))).flat()
  if (quads.some(({ predicate }) => targets.has(predicate.value))) return quads
  throw new Error(`${paths.join(', ')}: no shape has a target`)
}

async function readQuads(path: string, number: number): Promise<readonly Quad[]> {
  try {
    const format = formatOfSuffix(path.slice(path.lastIndexOf('.') + 1))
    if (!format) throw new Error('its suffix is none of RDF')
    const { size } = await stat(path)
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
    const quads = await parse(decode(await readFile(path)), format, { baseIri: `file://${path}` })
    for (const { predicate, object } of quads) checkTerm(predicate.value, object.value)
    return quads
      .filter(({ predicate }) => predicate.value !== imports)
      .map(({ subject, predicate, object }) =>
        quad(rename(subject, number), predicate, rename(object, number)),
      )
  } catch (cause) {
    throw new Error(`${path}: ${reasonOf(cause)}`, { cause })
  }
}

/** Renames the blank nodes of a file, because their labels are local to it. */
const rename = <T extends Term>(term: T, file: number) =>
  term.termType === 'BlankNode' ? blankNode(`f${file}_${term.value}`) : term

function reasonOf(error: unknown): string {
  if (error instanceof Failure) {
    const [place] = error.errors
    const line = place?.line === undefined ? '' : ` (line ${place.line})`
    return `${place?.detail ?? error.detail}${line}`
  }
  return error instanceof Error ? error.message : String(error)
}

function checkTerm(predicate: string, value: string): void {
  if (unsupported.has(predicate)) throw new Error(`${predicate} is not supported`)
  if (predicate !== sh('pattern').value) return
  try {
    void new RegExp(value)
  } catch (cause) {
    throw new Error(`the pattern ${value} is no regular expression`, { cause })
  }
}

const inScheme = skos('inScheme').value

/** Concept and scheme of every concept in the Turtle files of a directory. */
export async function readSchemes(
  directory: string,
): Promise<readonly (readonly [concept: string, scheme: string])[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.ttl'))
  const pairs: (readonly [string, string])[] = []
  for (const file of files.sort()) {
    const text = await readFile(join(directory, file), 'utf8')
    for (const { subject, predicate, object } of await parse(text, 'turtle', { baseIri: '' }))
      if (predicate.value === inScheme) pairs.push([subject.value, object.value])
  }
  return pairs
}

/** Sets of shapes, each a file of a version of DCAT-AP. */
const sets = ['base', 'recommended', 'vocabularies', 'deprecated', 'range'] as const
type SetName = (typeof sets)[number]

const isSet = (name: string): name is SetName => sets.some((set) => set === name)

/** Level at the end of the name of a model → its sets; `''` is a name without level. */
const levels: Readonly<Record<string, readonly SetName[]>> = {
  level1: ['base'],
  level2: ['base', 'recommended'],
  level3: ['base', 'recommended', 'vocabularies', 'deprecated'],
  '': sets,
}

const versions = { dcatap301: '3.0.1', dcatap211: '2.1.1' } as const

const fileOf = (version: string, set: SetName) => `${version}/${set}.ttl`

/** Model → files below the directory of the shipped shapes. */
const filesByModel: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(versions).flatMap(([prefix, version]) =>
    Object.entries(levels).map(
      ([level, names]) => [`${prefix}${level}`, names.map((set) => fileOf(version, set))] as const,
    ),
  ),
)

/** Default model. */
const standardModel = 'dcatap301level1'

/** Name of the model of chosen sets, and the separator between it and them. */
const customized = 'customized'
const separator = '='

/** The names of the models that are shipped. */
export const shippedModels: readonly string[] = [...filesByModel.keys(), customized]

/**
 * Files of a shipped model below the directory of the shipped shapes; `undefined` for any other name. `customized` is the base of
 * DCAT-AP 3.0.1 and may be followed by further sets (`customized=range,recommended`); unknown ones are ignored.
 */
export function shippedFiles(model: string): readonly string[] | undefined {
  const [name, names] = model.split(separator)
  if (name !== customized) return filesByModel.get(model)
  return ['base', ...(names ?? '').split(',')]
    .filter(isSet)
    .map((set) => fileOf(versions.dcatap301, set))
}

type ModelChoice = {
  /** One name or several; a record has to conform to one of them. */
  readonly shapeModel?: string | readonly string[]
  /** Sets beside the base, with commas between them. */
  readonly customized?: string | readonly string[]
}

/**
 * Models of a request, in one spelling each; where it names none, `customized` if it has sets, else `standardModel`. Throws
 * `Failure` `invalid-parameter` for names
 * that are not among `models` and for unknown sets.
 */
export function requestedModels(choice: ModelChoice, models: readonly string[]): readonly string[] {
  const requestedSets = listOf(choice.customized)
  const requestedNames = listOf(choice.shapeModel)
  const names =
    requestedNames.length > 0
      ? requestedNames
      : [requestedSets.length > 0 ? customized : standardModel]
  refuseUnknown('shapeModel', names, models)
  refuseUnknown('customized', requestedSets, sets)
  const chosen = sets.filter((set) => set !== 'base' && requestedSets.includes(set)).join(',')
  const customizedModel = chosen === '' ? customized : `${customized}${separator}${chosen}`
  return [...new Set(names)].map((name) => (name === customized ? customizedModel : name))
}

const listOf = (value: string | readonly string[] = []): readonly string[] =>
  [value]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')

function refuseUnknown(
  parameter: string,
  names: readonly string[],
  permitted: readonly string[],
): void {
  const unknown = names.find((name) => !permitted.includes(name))
  if (unknown === undefined) return
  const detail = `${parameter} must be one of ${permitted.join(', ')}; got ${unknown.slice(0, 100)}`
  throw invalidParameter(parameter, detail)
}

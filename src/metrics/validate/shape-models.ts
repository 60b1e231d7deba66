/** Names of shape models: which sets of shapes a record is validated against. */

import { Failure } from '../../errors.ts'

const sets = ['base', 'recommended', 'vocabularies', 'deprecated', 'range'] as const
type SetName = (typeof sets)[number]

const isSet = (name: string): name is SetName => sets.some((set) => set === name)

const levels: Readonly<Record<string, readonly SetName[]>> = {
  level1: ['base'],
  level2: ['base', 'recommended'],
  level3: ['base', 'recommended', 'vocabularies', 'deprecated'],
  '': sets,
}

const versions = { dcatap301: '3.0.1', dcatap211: '2.1.1' } as const

/** Model → files below the directory of the shipped shapes. */
const shipped: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(versions).flatMap(([prefix, version]) =>
    Object.entries(levels).map(
      ([level, names]) => [`${prefix}${level}`, names.map((set) => fileOf(version, set))] as const,
    ),
  ),
)

function fileOf(version: string, set: SetName): string {
  return `${version}/${set}.ttl`
}

/** What a record is validated against when nobody says otherwise. */
const standardModel = 'dcatap301level1'

/** The name that asks for sets of one's own choice, and what stands between it and them. */
const customized = 'customized'
const separator = '='

/** The names of the models that are shipped. */
export const shippedModels: readonly string[] = [...shipped.keys(), customized]

/** Files of a shipped model below its directory; `undefined` for any other name. */
export function shippedFiles(model: string): readonly string[] | undefined {
  const [name, names] = model.split(separator)
  if (name !== customized) return shipped.get(model)
  return ['base', ...(names ?? '').split(',')]
    .filter(isSet)
    .map((set) => fileOf(versions.dcatap301, set))
}

type Choice = {
  /** One name or several, of which one has to conform. */
  readonly shapeModel?: string | readonly string[] | undefined
  /** Sets beside the base, with commas between them. */
  readonly customized?: string | readonly string[] | undefined
}

/**
 * The models that are meant, in one spelling each. Throws `Failure` `invalid-parameter` for names that are not among `known`
 * and for sets that do not exist.
 */
export function chosenModels(choice: Choice, known: readonly string[]): readonly string[] {
  const wanted = listOf(choice.customized)
  const names = listOf(choice.shapeModel)
  const given = names.length > 0 ? names : [wanted.length > 0 ? customized : standardModel]
  for (const name of given) {
    if (!known.includes(name)) throw unknown('shapeModel', name, known)
  }
  for (const name of wanted) if (!isSet(name)) throw unknown('customized', name, sets)
  const chosen = sets.filter((set) => set !== 'base' && wanted.includes(set))
  const own = [customized, ...(chosen.length > 0 ? [chosen.join(',')] : [])].join(separator)
  return [...new Set(given)].map((name) => (name === customized ? own : name))
}

const listOf = (given: string | readonly string[] | undefined): readonly string[] =>
  (typeof given === 'string' ? [given] : (given ?? []))
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')

function unknown(parameter: string, given: string, known: readonly string[]): Failure {
  const detail = `${parameter} must be one of ${known.join(', ')}; got ${given.slice(0, 100)}`
  return new Failure('invalid-parameter', detail, { errors: [{ parameter, detail }] })
}

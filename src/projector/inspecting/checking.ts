/** What a profile declares, in words for the person who wrote it. */

import type { Field, Profile, Shape } from '../../profile/fields.ts'
import { unservedFacets } from '../facets.ts'

const count = (fields: readonly Field[]): number =>
  fields.reduce((sum, { children }) => sum + 1 + count(children), 0)

const classesIn = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ mapping, children }) => [mapping, ...classesIn(children)])

function shapeLine(name: string, { iri, fields }: Shape): string {
  const mandatory = fields.filter(({ required }) => required).map((field) => field.name)
  const must = mandatory.length > 0 ? `, mandatory: ${mandatory.join(' ')}` : ''
  return `  ${name}: ${count(fields)} fields from <${iri}>${must}`
}

/** A summary of a profile that the platform takes, with everything that is odd about it. */
export function summaryOf(profile: Profile): string {
  const { dataset, catalogue, concept, resources, warnings } = profile
  const shapes = [dataset, catalogue, concept, ...resources.map(({ shape }) => shape)]
  const classes = new Set(shapes.flatMap(({ fields }) => classesIn(fields)))
  const facets = unservedFacets(profile).map(
    ({ id, index, path }) => `  the facet ${id} of ${index} is left out: there is no field ${path}`,
  )
  const version = profile.versionInfo === '' ? '' : ` ${profile.versionInfo}`
  return [
    `The profile ${profile.id}${version} can be used.`,
    shapeLine('dataset', dataset),
    shapeLine('catalogue', catalogue),
    shapeLine('concept', concept),
    ...resources.map(({ id, shape, inCatalogue }) =>
      shapeLine(`resource ${id}${inCatalogue ? ' (in a catalogue)' : ''}`, shape),
    ),
    `  ${classes.size} mapping classes: ${[...classes].sort().join(' ')}`,
    `  hash ${profile.hash}`,
    ...(warnings.length + facets.length > 0 ? ['Worth a look:'] : []),
    ...warnings.map((warning) => `  ${warning}`),
    ...facets,
    '',
  ].join('\n')
}

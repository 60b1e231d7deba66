/** Endpoints of the metadata profile: as JSON, and its SHACL shapes in every RDF format. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { entityTag, isFresh, tagOfText } from '../../http/conditions.ts'
import { anyone } from '../../http/endpoint.ts'
import { answerRdf } from '../../http/rdf.ts'
import { addVary } from '../../http/headers.ts'
import { type FormModel, formModels } from '../../profile/form-model.ts'
import type { Profile } from '../../profile/profile.ts'
import { profilePage } from '../../profile/profile-page.ts'
import { toLines } from '../../rdf/lines.ts'
import { formatOfMediaType, formats, negotiate, type Format } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { keysOf } from '../../text/records.ts'

/** Media types in order of preference: clients that accept everything get JSON. */
const mediaTypes = ['application/json', ...Object.values(formats).map(({ mediaType }) => mediaType)]

/** Answers the SHACL shapes. Turtle is the text of the profile with its prefixes; other formats are converted from it. */
async function shapes(
  c: AppContext,
  { profile }: RepositoryContext,
  format: Format,
): Promise<Response> {
  if (format === 'turtle')
    return c.body(profile.shapes, 200, { 'Content-Type': 'text/turtle; charset=utf-8' })
  const quads = await parse(profile.shapes, 'turtle', { baseIri: 'urn:x-profile:' })
  return answerRdf(c, toLines(quads), { suffix: format, name: 'profile' })
}

const common = {
  method: 'get',
  summary: 'The metadata profile: JSON, or its SHACL shapes as RDF',
  auth: anyone,
  answers: contract.answers.profile,
} as const

const readProfile = repositoryEndpoint({
  ...common,
  path: '/profile',
  operation: 'getProfile',
  description: '`profile.ttl`, `profile.jsonld` and so on are the shapes whatever Accept says.',
  handle: async ({ c }, context) => {
    const mediaType = negotiate(c.req.header('Accept'), mediaTypes)
    if (mediaType === undefined)
      throw new Failure('not-acceptable', `Accept must allow one of ${mediaTypes.join(', ')}`)
    const format = formatOfMediaType(mediaType)
    const answer =
      format === undefined ? c.json(profilePage(context.profile)) : await shapes(c, context, format)
    addVary(answer.headers, 'Accept')
    return answer
  },
})

const shapesByFormat = keysOf(formats).map((format) =>
  repositoryEndpoint({
    ...common,
    path: `/profile.${formats[format].suffix}`,
    operation: `getProfile.${formats[format].suffix}`,
    isHidden: true,
    handle: ({ c }, context) => shapes(c, context, format),
  }),
)

const models = new WeakMap<Profile, Promise<(type: string) => FormModel | undefined>>()

/** Form models of a profile by type, which are made once. */
export function formModelsOf(profile: Profile) {
  const made = models.get(profile) ?? formModels(profile)
  models.set(profile, made)
  return made
}

const readForm = repositoryEndpoint({
  method: 'get',
  path: '/profile/forms/{type}',
  operation: 'getProfileForm',
  summary: 'The form of a kind of record: its sections and fields',
  description:
    'Follows from the profile and from the shapes of DCAT-AP. `type` is `datasets`, `catalogues` or the id of a declared type.',
  auth: anyone,
  params: z.object({ type: z.string().openapi({ example: 'datasets' }) }),
  answers: contract.answers.form,
  handle: async ({ c, params: { type } }, { profile }) => {
    if (negotiate(c.req.header('Accept'), ['application/json']) === undefined)
      throw new Failure('not-acceptable', 'Accept must allow application/json')
    const model = (await formModelsOf(profile))(type)
    if (!model) throw new Failure('not-found', `the profile has no records of the type "${type}"`)
    const tag = tagOfText(JSON.stringify(model))
    c.header('ETag', entityTag(tag))
    return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : c.json(model)
  },
})

/** Endpoints of the metadata profile. */
export const profileEndpoints = [readProfile, ...shapesByFormat, readForm]

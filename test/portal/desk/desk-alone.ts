/** The desk without a platform behind it: a repository of one draft, with the calls that the desk makes. */

import { join } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { defaultPortal } from '../../../src/config/portal.ts'
import { apiKeys } from '../../../src/http/api-key.ts'
import { logger } from '../../../src/log.ts'
import { openPageShell } from '../../../src/portal/page-shell.ts'
import { portalApp } from '../../../src/portal/portal-app.ts'
import type { Port } from '../../../src/portal/ports.ts'
import { openSessions } from '../../../src/portal/sessions.ts'
import { formModels } from '../../../src/profile/form-model.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { fromLines, joinLines, toLine } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { temporaryDirectory } from '../../support/gateway.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix locn: <http://www.w3.org/ns/locn#> .
@prefix gsp: <http://www.opengis.net/ont/geosparql#> . @prefix eu: <http://publications.europa.eu/resource/authority/> .
`

type Patch = {
  readonly remove: readonly string[]
  readonly add: readonly string[]
  readonly typed: readonly unknown[]
}

const [key, otherKey] = ['key-for-lakes-of-the-test-1', 'key-for-lakes-of-the-test-2']

/** `turtle` says what the record `<https://data.example/set/data/lakes>` has. */
export async function deskAlone(turtle: string, catalogue = 'water') {
  const directory = await temporaryDirectory()
  const record = `${prefixes}<https://data.example/set/data/lakes> a dcat:Dataset ; ${turtle} .`
  const quads = await parse(record, 'turtle', { baseIri: 'https://data.example/' })
  const lines = new Set(quads.map(toLine))
  const draft = {
    revision: 1,
    typed: [] as readonly unknown[],
    patches: 0,
    refusals: 0,
    /** Answer of the repository to writes, or to all requests, in place of its own. */
    fault: undefined as
      | undefined
      | { readonly status: number; readonly kind: string; readonly isAll?: true },
    actors: new Set<string>(),
    /** Id of the first section of the form, in place of that of the built-in profile. */
    section: 'essentials',
  }
  const forms = await formModels(await loadProfile())
  const json = (body: unknown) => Response.json(body, { headers: { ETag: `"${draft.revision}"` } })
  const facts = () => ({
    id: 'lakes',
    type: 'datasets',
    catalogue,
    title: { en: 'Lakes' },
    state: 'draft',
    revision: draft.revision,
    score: 325,
    typed: draft.typed,
    may: ['write'],
  })
  const port: Port = async (path, init) => {
    const headers = new Headers(init?.headers)
    const { fault } = draft
    if (fault && (fault.isAll ?? (init?.method ?? 'GET') !== 'GET'))
      return Response.json(
        { type: `urn:cartulary:problem:${fault.kind}`, status: fault.status, detail: 'fault' },
        { status: fault.status },
      )
    if (path.startsWith('/profile/forms/')) {
      const form = forms(path.split('/')[3] ?? '')
      const [first, ...others] = form?.sections ?? []
      return json({ ...form, sections: [{ ...first, id: draft.section }, ...others] })
    }
    if (!path.startsWith('/drafts/datasets/lakes'))
      return Response.json(
        { type: 'urn:cartulary:problem:not-found', status: 404, detail: 'no' },
        { status: 404 },
      )
    draft.actors.add(headers.get('Acting-For') ?? '')
    if (init?.method !== 'PATCH')
      return headers.get('Accept') === 'application/json'
        ? json(facts())
        : new Response(joinLines([...lines]), {
            headers: { 'Content-Type': 'application/n-triples' },
          })
    if (draft.refusals > 0) {
      draft.refusals -= 1
      return Response.json(
        { type: 'urn:cartulary:problem:precondition-failed', status: 412, detail: 'changed' },
        { status: 412 },
      )
    }
    const patch = (await new Response(init.body).json()) as Patch
    for (const line of patch.remove) lines.delete(line)
    for (const line of patch.add) lines.add(line)
    Object.assign(draft, {
      typed: patch.typed,
      revision: draft.revision + 1,
      patches: draft.patches + 1,
    })
    return json(facts())
  }
  const log = logger('silent')
  const keys = apiKeys({ [key]: ['publisher:water'], [otherKey]: ['publisher:water'] })
  const clock = { ahead: 0 }
  const sessions = openSessions({
    path: join(directory, 'sessions.sqlite'),
    keys,
    userPrefix: undefined,
    now: () => Date.now() + clock.ahead,
  })
  const ports = {
    search: port,
    repository: port,
    metrics: port,
    reports: port,
    sparql: port,
    deskRepository: port,
  }
  const app = portalApp({
    shell: openPageShell(defaultPortal, log),
    ports,
    http: { log },
    previews: undefined,
    sessions,
  })
  const headersOf = (cookie: string) => ({
    Accept: 'text/html',
    Cookie: cookie,
    Origin: 'http://localhost',
    'Sec-Fetch-Site': 'same-origin',
  })
  const cookie = sessions.signIn(key, '::1')
  const headers = headersOf(`__Host-session=${cookie}`)
  const get = (path: string) => app.request(`http://localhost${path}`, { headers })
  return {
    app,
    draft,
    headers,
    clock,
    /** Ends the session of `headers`, as in another window. */
    signOut: () => sessions.signOut(cookie),
    /** Signs a person in with the form; resolves with the headers of the new session and the path of the first page. */
    signIn: async (who: 'author' | 'other') => {
      const body = new URLSearchParams({ key: who === 'author' ? key : otherKey })
      const form = { method: 'POST', headers: headersOf(''), body }
      const visitor = { visitor: '::1' }
      const answer = await app.request('http://localhost/en/sign-in?kept=1', form, visitor)
      const fresh = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      return { headers: headersOf(fresh), location: answer.headers.get('Location') ?? '' }
    },
    get,
    page: async (path: string) => (await get(path)).text(),
    quads: (): readonly Quad[] => fromLines(joinLines([...lines])),
    close: () => sessions.close(),
  }
}

/** Secrets that pipes name or spell out. */

import { expect, it } from 'vitest'
import { secretRegistry } from '../../../src/secrets.ts'
import { segmentResolver } from '../../../src/pipe/segment-resolver.ts'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { secretCheck } from '../../../src/pipe/pipe-check.ts'
import type { SegmentKind } from '../../../src/pipe/segment.ts'

const kind: SegmentKind = {
  names: ['importing-rdf'],
  job: 'import',
  schema: () => ({}),
  open: () => ({ ok: false, problems: [] }),
}
const resolve = segmentResolver({}, [kind])

const pipe = (name: string, config: JsonObject): Pipe => ({
  header: { id: 'a', name: 'a', transport: 'payload', version: '2.0.0' },
  body: { segments: [{ header: { name, segmentNumber: 1, processed: false }, body: { config } }] },
})

it('a reference to a secret that is configured is fine, another one is told with its place', () => {
  const check = secretCheck(resolve, secretRegistry({ city: 'canary-1' }))
  expect(check(pipe('importing-rdf', { auth: { secret: 'city' } }))).toEqual([])
  expect(check(pipe('importing-rdf', { auth: { secret: 'town' } }))).toEqual([
    { pointer: '/body/segments/0/body/config/auth', detail: 'no secret is called town' },
  ])
})

it('what a foreign segment calls a secret is not ours to judge', () => {
  const check = secretCheck(resolve, secretRegistry())
  expect(check(pipe('their-segment', { secret: 'theirs' }))).toEqual([])
})

it('[T7] a literal is kept out of every text from then on, whoever the segment belongs to', () => {
  const secrets = secretRegistry()
  const check = secretCheck(resolve, secrets)
  check(pipe('importing-rdf', { apikey: 'canary-2' }))
  check(pipe('their-segment', { token: 'canary-3' }))
  expect(secrets.clean('canary-2 canary-3')).toBe('••• •••')
})

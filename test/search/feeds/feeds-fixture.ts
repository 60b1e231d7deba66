/** The doors of the search station that show records in other forms, over a real engine. */

import { apiKeys } from '../../../src/http/api-key.ts'
import type { Document, SearchIndex } from '../../../src/search-index/search-index.ts'
import { defaultLimits } from '../../../src/http/limits.ts'
import { logger } from '../../../src/log.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { searchApp } from '../../../src/search/search-app.ts'
import type { RecordPages } from '../../../src/search/search-service-context.ts'
import { engineHere } from '../suite/engine.ts'
import { settings } from './feed-documents.ts'

export const address = 'https://portal.example/api/hub/search'

export type FeedsFixture = {
  readonly index: SearchIndex
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly text: (path: string) => Promise<string>
  readonly close: () => Promise<void>
}

/** `now` is the clock of the station. */
export async function feedsFixture(
  held: readonly Document[],
  now = () => new Date('2026-11-21T12:00:00Z'),
  recordPages?: RecordPages,
): Promise<FeedsFixture> {
  const log = logger('silent')
  const { index, release } = await engineHere()
  const { rebuild } = await index.configure(settings)
  for (const name of rebuild) await index.finish(name)
  await index.write(held.map((put) => ({ put })))
  const http = {
    log,
    base: '/api/hub/search',
    publicAddress: { base: 'https://portal.example/' },
  }
  const app = searchApp({
    index,
    settings: () => index.currentSettings(),
    http,
    limits: defaultLimits,
    now,
    recordPages: recordPages ?? {
      address: (_root, { kind, id }, language) =>
        `https://portal.example/${language === undefined ? '' : `${language}/`}${kind}s/${id}`,
      isPortal: true,
      isRooted: false,
    },
    findings: async () => undefined,
    profile: await loadProfile(),
    version: '1',
    keys: apiKeys({}),
    preview: async () => undefined,
  })
  const request = async (path: string, init?: RequestInit) => app.request(path, init)
  return {
    index,
    request,
    text: async (path) => (await request(path)).text(),
    close: release,
  }
}

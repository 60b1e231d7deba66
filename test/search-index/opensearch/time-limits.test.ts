/** Times of calls of OpenSearch: nodes that are reached and do not answer. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../../src/log.ts'
import {
  type ClusterClient,
  connectCluster,
} from '../../../src/search-index/opensearch/cluster-client.ts'
import { clusterIndices } from '../../../src/search-index/opensearch/cluster-indices.ts'
import { clusterNames } from '../../../src/search-index/opensearch/cluster-layout.ts'
import { sendBulk } from '../../../src/search-index/opensearch/cluster-writer.ts'
import { json, server, type Told } from '../meilisearch/wire/server.ts'

let nodes: readonly Told[]
let client: ClusterClient
beforeEach(async () => {
  nodes = await Promise.all(Array.from({ length: 4 }, () => server()))
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal })
  client = connectCluster({
    urls: nodes.map(({ url }) => url),
    log: logger('silent'),
    now: () => performance.now(),
    pause,
    callMs: 2000,
  })
})
afterEach(async () => {
  client.close()
  for (const node of nodes) await node.close()
})

const asked = () => nodes.flatMap((node) => node.asked)
const silence = () => {
  for (const node of nodes) node.answer = () => undefined
}
const away = { kind: 'engine-unavailable', retryAfter: 2 }

describe('nodes that do not answer', () => {
  it('are asked in turn within the time of one call', async () => {
    silence()
    await expect(client.call({ method: 'GET', path: '/' })).rejects.toMatchObject(away)
    expect(asked()).toHaveLength(2)
  })

  it('are given most of it for a change, which may have been carried out', async () => {
    silence()
    const bulk = sendBulk(client, ['{}'], { isRefreshed: true, signal: undefined })
    await expect(bulk).rejects.toMatchObject(away)
    expect(asked()).toHaveLength(2)
  })

  it('are left for those that do', async () => {
    silence()
    for (const node of nodes.slice(1)) node.answer = json({ ok: true })
    for (let i = 0; i < 8; i++)
      expect(await client.call({ method: 'GET', path: '/' })).toEqual({ ok: true })
    expect(nodes[0]?.asked).toHaveLength(1)
  })
})

it('refused credentials are not sent to the next node', async () => {
  for (const node of nodes) node.answer = json({}, 401)
  const call = client.call({ method: 'GET', path: '/' })
  await expect(call).rejects.toMatchObject({
    kind: 'engine-unavailable',
    detail: 'The search engine refuses the configured credentials.',
  })
  expect(asked()).toHaveLength(1)
})

it('changes wait for the cluster less than its own minute', async () => {
  const indices = clusterIndices(client, clusterNames('p'), {})
  const name = 'p-a'
  await indices.drop(name)
  await indices.ensureDictionaries()
  await sendBulk(client, ['{}'], { isRefreshed: false, signal: undefined }).catch(() => undefined)
  const times = asked().map(({ url = '' }) => new URL(url, 'http://node').searchParams)
  expect(times.map((one) => one.get('timeout'))).toEqual(['10s', '10s', '10s', '10s'])
})

it('what some shards have not made searchable is not acknowledged', async () => {
  const indices = clusterIndices(client, clusterNames('p'), {})
  for (const node of nodes) node.answer = json({ _shards: { total: 6, successful: 4, failed: 1 } })
  await expect(indices.refresh(['p-a'])).rejects.toMatchObject(away)
  // A copy that no node has is no failure.
  for (const node of nodes) node.answer = json({ _shards: { total: 6, successful: 4, failed: 0 } })
  await indices.refresh(['p-a'])
})

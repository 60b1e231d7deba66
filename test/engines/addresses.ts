/** Tells suites that look for a server in the environment where this run has one. */

import { inject } from 'vitest'

for (const [name, server] of [
  ['FUSEKI', inject('fuseki')],
  ['VIRTUOSO', inject('virtuoso')],
] as const) {
  if ('missing' in server) continue
  const { queryEndpoint, username, password } = server.config
  process.env[`${name}_URL`] = queryEndpoint.replace(/\/[^/]+$/, '')
  if (username !== undefined) process.env[`${name}_USER`] = username
  if (password !== undefined) process.env[`${name}_PASSWORD`] = password
}

const search = inject('meilisearch')
if (!('missing' in search)) {
  process.env['MEILISEARCH_URL'] = search.url
  process.env['MEILISEARCH_KEY'] = search.key
}

const cluster = inject('opensearch')
if (!('missing' in cluster)) process.env['OPENSEARCH_URL'] = cluster.urls.join()

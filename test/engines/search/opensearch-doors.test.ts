/** What real clients send, through the doors of the station on OpenSearch; `SEARCH_UNDER_TEST=opensearch` runs all of doors.test.ts there. */

process.env['SEARCH_UNDER_TEST'] = 'opensearch'

await import('../../search/clients.test.ts')
await import('../../search/ckan/calls.test.ts')
await import('../../search/feeds/feeds.test.ts')

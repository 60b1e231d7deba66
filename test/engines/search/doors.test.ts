/** What real clients send, and the records in other forms, through the doors of the station: unchanged on Meilisearch. */

import '../../search/clients.test.ts'
import '../../search/ckan/calls.test.ts'
import '../../search/ckan/door.test.ts'
import '../../search/ckan/filter-query.test.ts'
import '../../search/feeds/feeds.test.ts'
import '../../search/feeds/hostile.test.ts'
import '../../search/sitemap/sitemap.test.ts'

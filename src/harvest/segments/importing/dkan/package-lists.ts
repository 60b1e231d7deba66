/** The lists of DKAN 1, which speaks the action API of CKAN with its own accent. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import { listOf } from '../../../../vocabularies/loose-values.ts'
import { action } from '../ckan/action-api.ts'
import { packages } from '../ckan/packages.ts'
import type { Portal } from '../ckan/package/portal.ts'
import type { Site } from './site.ts'

/** There is no count: the list of names, asked for before and after, says how many there should be. */
export async function* packageLists(site: Site): AsyncGenerator<Found, void> {
  const { root, config, source, context, authorities } = site
  const portal: Portal = {
    root,
    config: { ...config, identifier: 'id' },
    isDkan: true,
    output: context.output,
    authorities,
    licence: () => undefined,
  }
  const total = await nameCount(site)
  if (total !== undefined) yield { kind: 'total', total }
  for (let offset = 0; ;) {
    const query = { limit: String(config.pageSize), offset: String(offset) }
    const call = { root, name: 'current_package_list_with_resources', query }
    const answer = await action(source, call)
    if (!answer.ok) throw new Failure('source-error', `The list answered ${answer.status}.`)
    const found = listOf(answer.result).flat()
    if (found.length === 0) break
    yield* packages(found, portal)
    yield { kind: 'page' }
    offset += found.length
  }
  const after = await nameCount(site)
  if (after !== undefined) yield { kind: 'total', total: after }
  else yield { kind: 'end', as: 'incomplete', problem: uncounted }
}

const uncounted = new Failure(
  'total-mismatch',
  'The site does not list its datasets, so that nobody knows whether these are all.',
)

async function nameCount({ root, source }: Site): Promise<number | undefined> {
  const accepts = [400, 403, 404, 405, 409]
  const answer = await action(source, { root, name: 'package_list' }, { accepts, paged: false })
  return answer.ok && Array.isArray(answer.result) ? new Set(answer.result).size : undefined
}

/** Endpoints of people and keys: for administrators, for oneself, and for invitations. */

import { Failure } from '../../errors.ts'
import { anyone, type Endpoint, pageEndpoint } from '../../http/endpoint.ts'
import { readForm } from '../../http/form.ts'
import type { PageContext } from '../context.ts'
import type { PortalServices } from '../portal-services.ts'
import { stewardContext, withSession } from '../steward-endpoints.ts'
import {
  type Acceptance,
  changePeople,
  invitationPage,
  ownPage,
  peoplePage,
  renewKey,
} from './people-page.ts'

const tag = 'desk'

const people = [
  pageEndpoint<PortalServices>({
    path: '/:language/desk/people',
    operation: 'peoplePage',
    tag,
    summary: 'The people and programs, for administrators',
    auth: withSession,
    page: (c, { respond }) => respond(c, (context) => peoplePage(stewardContext(context))),
  }),
  pageEndpoint<PortalServices>({
    method: 'post',
    path: '/:language/desk/people',
    operation: 'changePeople',
    tag,
    summary: 'Invite, change or revoke',
    auth: withSession,
    page: async (c, { respond }) => {
      const field = await readForm(c)
      return respond(c, async (context) => {
        const steward = stewardContext(context)
        return peoplePage(steward, await changePeople(steward, field))
      })
    },
  }),
]

const own = [
  pageEndpoint<PortalServices>({
    path: '/:language/desk/me',
    operation: 'ownPage',
    tag,
    summary: 'The own key',
    auth: withSession,
    page: (c, { respond }) => respond(c, (context) => ownPage(stewardContext(context))),
  }),
  pageEndpoint<PortalServices>({
    method: 'post',
    path: '/:language/desk/me',
    operation: 'renewKey',
    tag,
    summary: 'Make a new key for oneself',
    auth: withSession,
    page: (c, { respond }) =>
      respond(c, async (context) => {
        const steward = stewardContext(context)
        return ownPage(steward, await renewKey(steward))
      }),
  }),
]

const accept = async ({ ask }: PageContext, token: string): Promise<Acceptance> => {
  const headers = { 'Content-Type': 'application/json' }
  try {
    return {
      made: await ask('repository', '/invitations', {
        method: 'POST',
        headers,
        body: JSON.stringify({ token }),
      }),
    }
  } catch (error) {
    const kind = error instanceof Failure ? error.kind : undefined
    if (kind === 'too-many-requests') return { refusal: 'error-429', status: 429 }
    if (kind === 'unknown-resource') return { refusal: 'invitation-gone', status: 404 }
    throw error
  }
}

const invitation = [
  pageEndpoint<PortalServices>({
    path: '/:language/invitation/:token',
    operation: 'invitationPage',
    tag,
    summary: 'An invitation, before it is accepted',
    auth: anyone,
    page: (c, { respond }) =>
      respond(c, async (context) => invitationPage(context, c.req.param('token') ?? '')),
  }),
  pageEndpoint<PortalServices>({
    method: 'post',
    path: '/:language/invitation/:token',
    operation: 'acceptInvitation',
    tag,
    summary: 'Accept an invitation, and see the key once',
    auth: anyone,
    page: async (c, { contextOf, respond }) => {
      const token = c.req.param('token') ?? ''
      const acceptance = await accept(await contextOf(c), token)
      const make = async (context: PageContext) => invitationPage(context, token, acceptance)
      return respond(c, make, acceptance.status)
    },
  }),
]

/** All endpoints of people and keys. */
export const peopleEndpoints: readonly Endpoint<PortalServices>[] = [
  ...people,
  ...own,
  ...invitation,
]

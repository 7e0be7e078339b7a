// Following events: each once they are handled, also after a restart.
import { pause, type Connection } from "./connection.js";
import type { Page } from "./lists.js";
import type { Event, PublicEventType } from "./types.js";

/** How to follow events. */
export interface FollowOptions {
  /** Where to go on; without one, the oldest event that exists is the first. */
  cursor?: string | undefined;
  /**
   * Called with a new cursor when the events before it are handled, that is when the loop asks for
   * the next one. Store it: after a restart, no event is missed. Those of the page that was
   * interrupted, up to `limit`, come again.
   */
  save?: (cursor: string) => unknown;
  /** Only events of this type; a cursor is valid for the same type and record only. */
  type?: PublicEventType;
  /** Only events of the record with this id. */
  record?: string;
  limit?: number;
  /** How long to wait when there are no more events; without it, the loop ends. */
  pollSeconds?: number;
}

export class EventFeed {
  constructor(protected readonly connection: Connection) {}

  /** The events after a cursor, oldest first. The code `cursor_expired` says that some are lost. */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Event, void> {
    const { save, type, record, limit = 200, pollSeconds } = options;
    let cursor = options.cursor;
    for (;;) {
      const query = { cursor, limit, type, record };
      const page = await this.connection.call<Page<Event>>("GET", "/v1/events/", query, {});
      yield* page.items;
      cursor = page.cursor ?? cursor;
      if (cursor !== undefined) await save?.(cursor);
      if (page.has_more) continue;
      if (pollSeconds === undefined) return;
      await pause(pollSeconds);
    }
  }
}

// Lists: iterators over all records, which read page by page.
import type { Connection, ReadOptions } from "./connection.js";

/** A page of a list. */
export interface Page<T> {
  items: T[];
  has_more: boolean;
  cursor: string | null;
}

/** All records of a list, for `for await`. Each loop reads the list again, page by page. */
export class Listing<T> implements AsyncIterable<T> {
  /** After the first page, if `updated_since` was sent: the moment to send the next time. */
  nextUpdatedSince: string | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly path: string,
    private readonly filters: { cursor?: string; limit?: number },
    private readonly options: ReadOptions,
  ) {}

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** The pages of the list, each with its `cursor`. */
  async *pages(): AsyncGenerator<Page<T>, void> {
    this.nextUpdatedSince = undefined;
    let query: object = this.filters;
    let options = this.options;
    for (;;) {
      const answer = await this.connection.send<Page<T>>("GET", this.path, query, options);
      const { record, headers } = answer;
      this.nextUpdatedSince ??= headers.get("Next-Updated-Since") ?? undefined;
      yield record;
      if (!record.has_more) return;
      query = { ...query, cursor: record.cursor };
      options = {};
    }
  }

  /** The first record, such as the newest issue; undefined if there is none. */
  async first(): Promise<T | undefined> {
    for await (const record of this) return record;
    return undefined;
  }
}

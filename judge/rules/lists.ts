import { isSuccess, type JournalRequest, nameOf, nextPageOf, normalTarget, received } from "../journal.ts";
import { observeEach, type Rule } from "../rule.ts";

/** The feed never ends, so nobody reads it whole. */
const WITH_END = ["listPets", "listOrders"];
const LISTS: ReadonlySet<string | null> = new Set([...WITH_END, "listEvents"]);
/** By these names programs ask for a page; only `cursor` has a meaning here. */
const OF_A_PAGE = /[?&](?:cursor|page|page_?token|offset|skip|start|after|starting_after)=/i;

export const FOLLOWS_LINKS: Rule = {
  id: "follows-links",
  title: "It follows the Link to the next page, and builds no address of a page itself.",
  testedBy: "list more than one page",
  page: "guides/paging.md",
  observe({ requests }) {
    // A cursor that is refused leads nowhere: a test may send one to see that.
    const pages = requests.filter(
      (request) =>
        LISTS.has(request.operation) && OF_A_PAGE.test(request.target) && received(request)?.status !== 400,
    );
    return observeEach(pages, (page) => {
      const isLinked = requests.some(
        (earlier) => earlier.id < page.id && nextPageOf(earlier) === normalTarget(page.target),
      );
      return isLinked ? undefined : `no response had linked to ${nameOf(page)}`;
    });
  },
};

export const WHOLE_LISTS: Rule = {
  id: "whole-lists",
  title: "It reads a list to its end.",
  testedBy: "list all animals or orders, with pages smaller than the list",
  page: "guides/paging.md",
  observe({ requests }) {
    const lists = WITH_END.map((operation) =>
      requests.filter((request) => request.operation === operation && isSuccess(received(request))),
    ).filter((pages) => pages.some((page) => nextPageOf(page) !== undefined));
    return observeEach(lists, (pages) =>
      pages.some((page) => isLastPage(page, pages))
        ? undefined
        : `${nameOf(pages.findLast((page) => nextPageOf(page) !== undefined) as JournalRequest)} got a page with a link to the next one, and no list of ${pages[0]?.operation} came to its end`,
    );
  },
};

/** Whether a page has no successor, and another page linked to it. */
function isLastPage(page: JournalRequest, pages: readonly JournalRequest[]): boolean {
  const target = normalTarget(page.target);
  return nextPageOf(page) === undefined && pages.some((earlier) => nextPageOf(earlier) === target);
}

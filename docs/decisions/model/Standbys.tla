---------------------------- MODULE Standbys ----------------------------
(* Reads from standbys, the search for the primary, its fencing, cached responses and known keys: see decision 15.
   One instance, one read and one create at a time. Other instances' changes are those of `Commit` that are not `write`.

   Assumed:
   - Commits wait for a standby (synchronous_standby_names = ANY 1), and the standby that is promoted has as much of the latest
     primary's log as each other, and all that its commits have waited for. Else a promotion may lose what was acknowledged.
   - A server that was promoted answers when the instance asks for positions after a commit. If it cannot be reached, what the
     replaced primary commits is acknowledged. Reads there count as right until the instance knows better.
   - A cancelled wait took longer than SLOW_COMMIT_MS. A standby replays what it has received.
   - What is given up by hand, by going back to a snapshot or by writing a store anew, is not owed. `copy` and `import` write
     a store that no instance serves: instances start afterwards.
   - Tokens, and identities of stores and of clusters, do not repeat.
   - One log stands for both. That a full page holds although appends are missing rests on decision 7; that changes of both show in one
     order (ShownTogether) rests on the simulation.
   A silent server takes no step, so a crash needs no action of its own. *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Servers, First,   \* the hosts of the URL; First begins as the primary, the others as its standbys
  None,
  Kinds,            \* what is committed: "animal", "key" (another key is made), "revoke" (of the client's key)
  Events,           \* what else happens: "create", "read from a standby", and the faults
  Changes, Faults, Epochs,   \* how often at most
  Off               \* the checks that are switched off; a test switches off each one

VARIABLES
  server,     \* of each host: its cluster, role, timeline, start, log, and how much of that it shows, and its standbys keep
  instance,   \* what the instance knows
  request,    \* the read under way
  write,      \* the create under way
  acked,      \* the animals that were acknowledged
  legal,      \* what the server in use has shown since the read arrived
  wrong,      \* the promise that a response broke
  changes, faults

vars == <<server, instance, request, write, acked, legal, wrong, changes, faults>>

On(check) == check \notin Off
Max(set) == CHOOSE n \in set : \A m \in set : m <= n
Min(set) == CHOOSE n \in set : \A m \in set : m >= n
Tokens(seq) == {seq[at].token : at \in 1..Len(seq)}
IsPrefix(one, other) == Len(one) <= Len(other) /\ \A at \in 1..Len(one) : one[at] = other[at]
Common(one, other) ==
  SubSeq(one, 1, Max({n \in 0..Min({Len(one), Len(other)}) : SubSeq(one, 1, n) = SubSeq(other, 1, n)}))

\* What a log tells: the identity of its store, the animals since, the changes of keys, and whether the key is revoked.
Of(wal, kind) == SelectSeq(wal, LAMBDA entry : entry.kind = kind)
Copies(wal) == {at \in 1..Len(wal) : wal[at].kind = "copy"}
Store(wal) == IF Copies(wal) = {} THEN 0 ELSE wal[Max(Copies(wal))].token
Animals(wal) == Of(IF Copies(wal) = {} THEN wal ELSE SubSeq(wal, Max(Copies(wal)) + 1, Len(wal)), "animal")
Keys(wal) == Len(Of(wal, "key")) + Len(Of(wal, "revoke"))
Page(wal) == [store |-> Store(wal), animals |-> Animals(wal)]
View(wal) == [page |-> Page(wal), revoked |-> Of(wal, "revoke") # <<>>]
Mark(wal) == LET log == Animals(wal) IN
  [store |-> Store(wal), number |-> Len(log), token |-> IF log = <<>> THEN 0 ELSE log[Len(log)].token]

Shown(s) == SubSeq(server[s].wal, 1, server[s].shown)
Ours == {s \in Servers : server[s].cluster = "ours"}
Primaries == {s \in Ours : ~server[s].standby}
Latest == CHOOSE s \in Primaries : \A other \in Primaries : server[other].timeline <= server[s].timeline
OfLatest == {s \in Ours : server[s].standby /\ IsPrefix(server[s].wal, server[Latest].wal)}
NoRequest == [phase |-> "idle"]
NoWrite == [token |-> 0]
Fresh == [inUse |-> None, epoch |-> 0, timeline |-> 0, start |-> 0, connections |-> {}, confirmed |-> {},
          cached |-> None, key |-> None, last |-> None]

Showing == IF instance.inUse = None THEN {} ELSE {View(Shown(instance.inUse))}
Seen == legal' = IF request' = NoRequest THEN {} ELSE legal \cup Showing'

Init ==
  /\ server = [s \in Servers |-> [cluster |-> "ours", standby |-> s # First, timeline |-> 1,
                                  start |-> 1, wal |-> <<>>, shown |-> 0, kept |-> 0]]
  /\ instance = Fresh /\ request = NoRequest /\ write = NoWrite
  /\ acked = {} /\ legal = {} /\ wrong = "nothing" /\ changes = 0 /\ faults = 0

---------------------------------------------------------------------------
(* The cluster: PostgreSQL, and those who operate it. *)

Fault(event) == event \in Events /\ faults < Faults /\ faults' = faults + 1

\* The primary has written a commit to its disk, and does not show it yet.
Flush(s, kind) ==
  /\ ~server[s].standby /\ server[s].cluster = "ours" /\ changes < Changes
  /\ changes' = changes + 1
  /\ server' = [server EXCEPT ![s].wal = @ \o <<[kind |-> kind, token |-> changes + 1]>>]

Commit(s, kind) ==
  /\ Flush(s, kind)
  /\ UNCHANGED <<instance, request, write, acked, wrong, faults>> /\ Seen

\* `copy` or `import`, without a row in the logs.
Copy(s) ==
  /\ Fault("copy") /\ s = Latest
  /\ server' = [server EXCEPT ![s].wal = @ \o <<[kind |-> "copy", token |-> 10 + faults]>>, ![s].shown = Len(server[s].wal) + 1,
                           ![s].kept = Len(server[s].wal) + 1]
  /\ instance' = Fresh /\ request' = NoRequest /\ write' = NoWrite /\ acked' = {}
  /\ UNCHANGED <<wrong, changes>> /\ Seen

Replay(s, from) ==
  /\ server[s].standby /\ ~server[from].standby /\ server[s].cluster = server[from].cluster
  /\ IsPrefix(server[s].wal, server[from].wal) /\ server[s].wal # server[from].wal
  /\ server' = [server EXCEPT ![s].wal = SubSeq(server[from].wal, 1, Len(@) + 1), ![s].shown = @ + 1,
                           ![s].timeline = server[from].timeline]
  /\ UNCHANGED <<instance, request, write, acked, wrong, changes, faults>> /\ Seen

\* A commit has reached a standby, and shows.
Show(s) ==
  LET next == server[s].shown + 1 IN
  /\ ~server[s].standby /\ next <= Len(server[s].wal)
  /\ \E by \in Ours : server[by].standby /\ IsPrefix(SubSeq(server[s].wal, 1, next), server[by].wal)
  /\ server' = [server EXCEPT ![s].shown = next, ![s].kept = next]
  /\ UNCHANGED <<instance, request, write, acked, wrong, changes, faults>> /\ Seen

\* Somebody cancels the wait for a standby: PostgreSQL reports success.
CancelWait(s) ==
  /\ Fault("cancel") /\ ~server[s].standby /\ server[s].shown < Len(server[s].wal)
  /\ server' = [server EXCEPT ![s].shown = Len(server[s].wal)]
  /\ write' = IF write.token # 0 /\ write.at = s THEN [write EXCEPT !.slow = TRUE] ELSE write
  /\ UNCHANGED <<instance, request, acked, wrong, changes>> /\ Seen

Promote(s) ==
  /\ Fault("promote") /\ s \in OfLatest /\ Len(server[s].wal) >= server[Latest].kept
  /\ \A other \in OfLatest : Len(server[other].wal) <= Len(server[s].wal)
  /\ server' = [server EXCEPT ![s].standby = FALSE, ![s].timeline = server[Latest].timeline + 1,
                           ![s].kept = Len(server[s].wal)]
  /\ UNCHANGED <<instance, request, write, acked, wrong, changes>> /\ Seen

\* A server becomes a standby of the latest primary.
Rejoin(s) ==
  /\ Fault("rejoin") /\ s \in Ours \ {Latest} /\ s \notin OfLatest
  /\ LET common == Common(server[s].wal, server[Latest].wal) IN
     server' = [server EXCEPT ![s] = [@ EXCEPT !.standby = TRUE, !.timeline = server[Latest].timeline, !.start = @ + 1, !.wal = common,
                                              !.shown = Len(common), !.kept = 0]]
  /\ UNCHANGED <<instance, request, write, acked, wrong, changes>> /\ Seen

\* The primary goes on from a snapshot, on its timeline. Its clients' connections are half-open.
GoBack(n) ==
  /\ Fault("go back") /\ n \in 0..Len(server[Latest].wal)
  /\ server' = [server EXCEPT ![Latest] = [@ EXCEPT !.start = @ + 1, !.wal = SubSeq(@, 1, n), !.shown = n,
                                                   !.kept = n]]
  /\ acked' = acked \cap Tokens(SubSeq(server[Latest].wal, 1, n))
  /\ UNCHANGED <<instance, request, write, wrong, changes>> /\ Seen

\* At a standby's address a server of another cluster starts.
Replace(s, standby) ==
  /\ Fault("replace") /\ s \in Ours /\ server[s].standby
  /\ server' = [server EXCEPT ![s] = [cluster |-> "theirs", standby |-> standby, timeline |-> IF standby THEN 0 ELSE 9,
                                      start |-> 9, wal |-> <<[kind |-> "copy", token |-> 99]>>, shown |-> 1, kept |-> 0]]
  /\ UNCHANGED <<instance, request, write, acked, wrong, changes>> /\ Seen

---------------------------------------------------------------------------
(* The search for the primary, and its fencing. *)

Believed(s) == server[s].cluster = "ours" \/ ~On("cluster")
Left == [instance EXCEPT !.inUse = None, !.connections = {}]

\* Failover.start (src/stores/postgres/connect/failover.ts): a server that only seems to be lost is left too.
Leave ==
  /\ instance.inUse # None /\ instance' = Left
  /\ UNCHANGED <<server, request, write, acked, wrong, changes, faults>> /\ Seen

\* findPrimary, refusalOf (src/stores/postgres/connect/primary.ts)
\* Failover.look, Failover.#switchTo (src/stores/postgres/connect/failover.ts): some hosts do not answer
Look(answering) ==
  LET believed == {s \in answering : Believed(s)}
      latest == Max({instance.timeline} \cup {server[s].timeline : s \in believed})
      usable == {s \in believed : /\ On("primary") => ~server[s].standby
                                  /\ On("timeline") => server[s].timeline = latest}
  IN
  /\ instance.inUse = None /\ instance.epoch < Epochs
  /\ \E s \in usable :
       instance' = [instance EXCEPT !.inUse = s, !.epoch = @ + 1, !.timeline = latest, !.start = server[s].start,
                                    !.connections = {server[s].start}, !.confirmed = {}]
  /\ UNCHANGED <<server, request, write, acked, wrong, changes, faults>> /\ Seen

\* Pool.#openAnother (src/stores/postgres/connect/pool.ts): while another connection seems to last
OpenAnother ==
  LET at == server[instance.inUse]
      isKnown == /\ ~at.standby /\ at.timeline = instance.timeline /\ Believed(instance.inUse)
                 /\ On("start") => at.start = instance.start
  IN
  /\ instance.inUse # None /\ at.start \notin instance.connections
  /\ instance' = IF isKnown THEN [instance EXCEPT !.connections = @ \cup {at.start}] ELSE Left
  /\ UNCHANGED <<server, request, write, acked, wrong, changes, faults>> /\ Seen

\* OtherServers.watch (src/stores/postgres/connect/other-servers.ts)
\* Fencing.#note (src/stores/postgres/connect/fencing.ts)
Watch(s) ==
  /\ instance.inUse \notin {None, s} /\ Believed(s) /\ server[s].timeline > instance.timeline
  /\ instance' = [Left EXCEPT !.timeline = server[s].timeline]
  /\ UNCHANGED <<server, request, write, acked, wrong, changes, faults>> /\ Seen

IsConnected == instance.inUse # None /\ server[instance.inUse].start \in instance.connections

\* Pool.commit (src/stores/postgres/connect/pool.ts)
Create ==
  /\ "create" \in Events /\ IsConnected /\ write = NoWrite /\ Flush(instance.inUse, "animal")
  /\ write' = [token |-> changes + 1, at |-> instance.inUse, start |-> server[instance.inUse].start,
               timeline |-> instance.timeline, slow |-> FALSE]
  /\ UNCHANGED <<instance, request, acked, wrong, faults>> /\ Seen

\* Fencing.confirm, Fencing.#assertReceived (src/stores/postgres/connect/fencing.ts)
\* OtherServers.positions, OtherServers.haveReceived (src/stores/postgres/connect/other-servers.ts)
Acknowledge ==
  LET others == Servers \ {write.at}
      upTo == Min({n \in 1..Len(server[write.at].wal) : server[write.at].wal[n].token = write.token})
      received == \E s \in others : Believed(s) /\ Len(server[s].wal) >= upTo
      noted == Max({instance.timeline} \cup {server[s].timeline : s \in {s \in others : Believed(s) /\ ~server[s].standby}})
      isConfirmed == /\ write.slow /\ On("received") => received
                     /\ On("promoted") => noted <= write.timeline
  IN
  /\ write # NoWrite
  /\ IF server[write.at].start # write.start THEN UNCHANGED acked   \* its connection was lost: the outcome is unknown
     ELSE /\ write.token \in Tokens(Shown(write.at))
          /\ acked' = IF isConfirmed THEN acked \cup {write.token} ELSE acked
  /\ write' = NoWrite
  /\ UNCHANGED <<server, instance, request, wrong, changes, faults>> /\ Seen

---------------------------------------------------------------------------
(* A read: its key, the cache, and the reads from a standby, in any order with the primary's revision. *)

\* ReadTurn.read (src/stores/read-turn.ts)
Arrive ==
  /\ request = NoRequest /\ instance.inUse # None
  /\ request' = [phase |-> "asking", owed |-> acked, revision |-> None, from |-> None, packet |-> <<>>]
  /\ UNCHANGED <<server, instance, write, acked, wrong, changes, faults>> /\ Seen

\* isValidAt (src/domain/revision.ts)
IsValidAt(asOf, latest, by) ==
  IF asOf.epoch = latest.epoch \/ ~On("epoch") THEN asOf[by] >= latest[by] ELSE asOf.epoch > latest.epoch

Broken(page, usedKey) ==
  LET Before(one, other) == one.store = other.store /\ IsPrefix(one.animals, other.animals)
      promised == {view.page : view \in legal}
  IN
  CASE page.store = 99 -> "no foreign store"
    [] usedKey /\ \A view \in legal : view.revoked -> "no revoked key"
    [] ~((request.owed \cap acked) \subseteq Tokens(page.animals)) -> "no acknowledged write lost"
    [] page \in promised -> "nothing"
    [] \E view \in promised : Before(page, view) -> "nothing stale"
    [] instance.inUse # None /\ Before(page, Page(server[instance.inUse].wal)) -> "nothing unconfirmed"
    [] \E view \in promised : view.store # page.store -> "no foreign store"
    [] OTHER -> "no other history"

Respond(page) == wrong' = Broken(page, TRUE) /\ request' = NoRequest

\* The packet is one connection's.
IsLost == request.from # None /\ server[request.from[1]].start # request.from[2]

\* ShownMarks.readRevision (src/stores/postgres/shown-marks.ts)
\* readMarkedRevision (src/stores/postgres/standbys/marks.ts)
\* ReadBatcher.run (src/stores/postgres/read-batcher.ts)
\* ResponseCache.fresh (src/http/cache/response-cache.ts): the key is read in the same packet unless it is known
AskPrimary ==
  LET wal == Shown(instance.inUse)
      mark == Mark(wal)
      revision == [epoch |-> instance.epoch, append |-> mark.number, keys |-> Keys(wal), store |-> mark.store]
      isKnown == instance.key # None /\ (On("key") => IsValidAt(instance.key, revision, "keys"))
      isCached == instance.cached # None /\ (On("cache") => IsValidAt(instance.cached.asOf, revision, "append"))
      isRefused == ~isKnown /\ View(wal).revoked
      noted == [instance EXCEPT !.confirmed = @ \cup {<<mark.number, mark.token>>},
                                !.key = IF isKnown THEN @ ELSE IF isRefused THEN None ELSE revision]
  IN
  /\ request.phase = "asking" /\ (request.revision = None \/ IsLost) /\ IsConnected
  /\ \/ isRefused /\ instance' = noted /\ request' = NoRequest /\ UNCHANGED wrong
     \/ ~isRefused /\ isCached /\ instance' = noted /\ Respond(instance.cached.page)
     \/ ~isRefused /\ ~isCached /\ instance' = [noted EXCEPT !.cached = [page |-> Page(wal), asOf |-> revision]]
        /\ Respond(Page(wal))
     \/ ~isRefused /\ ~isCached /\ "read from a standby" \in Events /\ instance' = noted /\ request' = [request EXCEPT !.revision = revision]
        /\ UNCHANGED wrong
  /\ UNCHANGED <<server, write, acked, changes, faults>> /\ Seen

\* StandbyReads.#readPacket (src/stores/postgres/standbys/standby-reads.ts)
\* readStandbyMarks (src/stores/postgres/standbys/marks.ts): marks, the read, marks
\* LastMarks.before (src/stores/postgres/standbys/last-marks.ts): or the read and marks, after what the connection showed last
AskStandby(s) ==
  LET wal == Shown(s)
      by == <<s, server[s].start>>
      next == <<IF Len(request.packet) = 1 THEN Page(wal) ELSE Mark(wal)>>
      last == instance.last # None /\ (On("connection") => instance.last.by = by)
  IN
  /\ "read from a standby" \in Events /\ s # instance.inUse
  /\ request.phase = "asking" /\ request.from \in {None, by} /\ Len(request.packet) < 3
  /\ \/ request' = [request EXCEPT !.from = by, !.packet = @ \o next]
     \/ request.packet = <<>> /\ last /\ request' = [request EXCEPT !.from = by, !.packet = <<instance.last.mark, Page(wal)>>]
  /\ UNCHANGED <<server, instance, write, acked, wrong, changes, faults>> /\ Seen

\* ConfirmedMarks.judge (src/stores/postgres/standbys/confirmed-marks.ts)
Verdict(mark) ==
  LET log == Animals(Shown(instance.inUse)) IN
  CASE mark.number = 0 \/ <<mark.number, mark.token>> \in instance.confirmed -> "confirmed"
    [] mark.number > Len(log) -> "missing"
    [] log[mark.number].token = mark.token -> "confirmed"
    [] OTHER -> "other_history"

\* StandbyReads.#attempt, StandbyReads.#refusal (src/stores/postgres/standbys/standby-reads.ts)
Judge ==
  LET before == request.packet[1]
      result == request.packet[2]
      after == request.packet[3]
      revision == request.revision
      holds == /\ On("behind") => before.number >= revision.append
               /\ On("store") => before.store = revision.store /\ after.store = revision.store
               /\ On("served") => revision.epoch = instance.epoch
               /\ Verdict(after) = "missing" => ~On("ahead")
               /\ Verdict(after) = "other_history" => ~On("history")
  IN
  /\ request.phase = "asking" /\ request.revision # None /\ Len(request.packet) = 3 /\ IsConnected
  /\ LET noted == [instance EXCEPT !.last = [by |-> request.from, mark |-> after]] IN
     IF holds
     THEN Respond(result) /\ instance' = [noted EXCEPT !.cached = [page |-> result, asOf |-> revision]]
     ELSE request' = [request EXCEPT !.revision = None] /\ instance' = noted /\ UNCHANGED wrong   \* the primary is read
  /\ UNCHANGED <<server, write, acked, changes, faults>> /\ Seen

---------------------------------------------------------------------------
Next ==
  \/ \E s \in Servers :
       \/ \E kind \in Kinds : Commit(s, kind)
       \/ Copy(s) \/ Show(s) \/ CancelWait(s) \/ Promote(s) \/ Rejoin(s) \/ Watch(s) \/ AskStandby(s)
       \/ \E from \in Servers : Replay(s, from)
       \/ \E standby \in BOOLEAN : Replace(s, standby)
  \/ \E n \in 0..Changes : GoBack(n)
  \/ \E answering \in SUBSET Servers : Look(answering)
  \/ Leave \/ OpenAnother \/ Create \/ Acknowledge \/ Arrive \/ AskPrimary \/ Judge

Spec == Init /\ [][Next]_vars

(* The promises. `Broken` names the one that a response breaks. *)
NothingStale == wrong # "nothing stale"
NothingUnconfirmed == wrong # "nothing unconfirmed"
NoRevokedKey == wrong # "no revoked key"
NoOtherHistory == wrong # "no other history"
NoForeignStore == wrong # "no foreign store"
NoAcknowledgedWriteLost == wrong # "no acknowledged write lost" /\ acked \subseteq Tokens(server[Latest].wal)
NotStoppedByAnotherCluster == instance.timeline <= server[Latest].timeline

Symmetry == Permutations(Servers \ {First})
=============================================================================

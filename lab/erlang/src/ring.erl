%% The rivals in Erlang: a process that is told a command and answers with a number.
%%
%%   ring NODES TOKENS HOPS   messages that the nodes of a ring handled, each made anew
%%   spawn COUNT              processes that were spawned, linked to their parent, and answered
%%   ask COUNT                answers to questions, one after another
-module(ring).
-export([main/0]).

main() ->
    case io:get_line("") of
        eof -> halt(0);
        Line ->
            [Command | Numbers] = string:tokens(string:trim(Line), " "),
            io:format("~s~n", [run(Command, [list_to_integer(N) || N <- Numbers])]),
            main()
    end.

run("ring", [Nodes, Tokens, Hops]) -> integer_to_list(ring(Nodes, Tokens, Hops));
run("spawn", [Count]) -> integer_to_list(spawned(Count));
run("ask", [Count]) -> integer_to_list(asked(Count)).

%% The ring of a command is kept for the next one of the same size.
ring(Nodes, Tokens, Hops) ->
    First = case get(Nodes) of
        undefined ->
            Self = self(),
            Last = spawn_link(fun() -> receive {next, Next} -> node_loop(Next, Self, 0) end end),
            Made = lists:foldl(
                fun(_, Next) -> spawn_link(fun() -> node_loop(Next, Self, 0) end) end,
                Last, lists:seq(2, Nodes)),
            Last ! {next, Made},
            put(Nodes, Made),
            Made;
        Kept -> Kept
    end,
    [First ! {token, Hops div Tokens} || _ <- lists:seq(1, Tokens)],
    [receive done -> ok end || _ <- lists:seq(1, Tokens)],
    First ! {count, 0, Nodes},
    receive {counted, Sum} -> Sum end.

node_loop(Next, Main, Count) ->
    receive
        {token, 1} -> Main ! done, node_loop(Next, Main, Count + 1);
        {token, Left} -> Next ! {token, Left - 1}, node_loop(Next, Main, Count + 1);
        {count, Sum, 1} -> Main ! {counted, Sum + Count}, node_loop(Next, Main, 0);
        {count, Sum, Left} -> Next ! {count, Sum + Count, Left - 1}, node_loop(Next, Main, 0)
    end.

spawned(Count) ->
    Self = self(),
    Parent = spawn_link(fun() ->
        Children = [spawn_link(fun() -> receive {ask, From} -> From ! here end end)
                    || _ <- lists:seq(1, Count)],
        Me = self(),
        [Child ! {ask, Me} || Child <- Children],
        [receive here -> ok end || _ <- Children],
        Self ! {spawned, length(Children)}
    end),
    receive {spawned, N} -> unlink(Parent), N end.

asked(Count) ->
    Server = case get(server) of
        undefined -> Made = spawn_link(fun server/0), put(server, Made), Made;
        Kept -> Kept
    end,
    asked(Server, Count, 0).

asked(_, 0, Answers) -> Answers;
asked(Server, Left, Answers) ->
    Ref = make_ref(),
    Server ! {ask, Ref, self()},
    receive {answer, Ref} -> asked(Server, Left - 1, Answers + 1) end.

server() -> receive {ask, Ref, From} -> From ! {answer, Ref}, server() end.
